"""wait_daemons.py nova|cinder - until each of its daemons counts as "up"."""

import sys
import time

from client import Cloud

cloud, service = Cloud(), sys.argv[1]
path = '/os-services' if service == 'nova' else '/%s/os-services' % cloud.project_id
end = time.monotonic() + 90
while True:
    down = [daemon['binary'] for daemon in cloud('GET', service, path)['services'] if daemon['state'] != 'up']
    if not down:
        break
    if time.monotonic() > end:
        sys.exit('still down: %s' % ', '.join(down))
    time.sleep(0.5)

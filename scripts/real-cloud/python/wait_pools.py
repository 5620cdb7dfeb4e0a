"""wait_pools.py - until cinder's scheduler knows a backend to put volumes on."""

import sys
import time

from client import Cloud

cloud = Cloud()
end = time.monotonic() + 90
while not cloud('GET', 'cinder', '/%s/scheduler-stats/get_pools' % cloud.project_id)['pools']:
    if time.monotonic() > end:
        sys.exit('the scheduler of cinder knows no backend')
    time.sleep(0.5)

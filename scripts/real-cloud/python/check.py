"""check.py "SERVICE ..." - an end-to-end pass: one line per step, and then everything is cleaned up again."""

import sys

from checks import dns, identity, images, load_balancers, loopback, network, objects, quotas, secrets, servers, volumes
from checks.steps import run

# Later steps use what earlier ones have made, and are undone before them.
ORDER = (loopback, identity, quotas, network, images, servers, volumes, secrets, dns, load_balancers, objects)

sys.exit(run([step for area in ORDER for step in area.STEPS], sys.argv[1].split()))

import os
import re
from pathlib import Path

from checks.steps import step

LISTENING, UNCONNECTED = '0A', '07'
LOOPBACK = ('0100007F', '00000000000000000000000001000000')


def listeners():
    """Address and port of all listening sockets of this machine, by inode: as the kernel writes them, in hex."""
    for table, state in (('tcp', LISTENING), ('tcp6', LISTENING), ('udp', UNCONNECTED), ('udp6', UNCONNECTED)):
        path = Path('/proc/net', table)
        for line in path.read_text().splitlines()[1:] if path.exists() else []:
            fields = line.split()
            address, port = fields[1].split(':')
            if fields[3] == state and port != '0000':
                yield fields[9], (table, address, int(port, 16))


def inodes_of(pid):
    for link in Path('/proc', pid, 'fd').glob('*'):
        try:
            found = re.match(r'socket:\[(\d+)\]', os.readlink(link))
        except FileNotFoundError:  # closed in the meantime
            continue
        if found:
            yield found[1]


@step('loopback: no process listens anywhere else', needs='')
def only_loopback(_):
    pids = os.environ['CLOUD_PROCESSES'].split()
    if not pids:
        raise RuntimeError('no process is running')
    ours = {inode for pid in pids for inode in inodes_of(pid)}
    sockets = [socket for inode, socket in listeners() if inode in ours]
    if not sockets:
        raise RuntimeError('no process listens at all')
    elsewhere = [socket for socket in sockets if socket[1] not in LOOPBACK]
    if elsewhere:
        raise RuntimeError('these are open to others: %s' % elsewhere)


STEPS = (only_loopback,)

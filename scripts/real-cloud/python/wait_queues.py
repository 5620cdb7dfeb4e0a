"""wait_queues.py HOST:PORT QUEUE... - until somebody consumes each: then that daemon is ready."""

import os
import sys
import time

import amqp

address, *queues = sys.argv[1:]
end = time.monotonic() + 120
with amqp.Connection(address, 'openstack', os.environ['RABBIT_PASSWORD']) as connection:
    for queue in queues:
        while True:
            try:
                if connection.channel().queue_declare(queue, passive=True).consumer_count:
                    break
            except amqp.exceptions.NotFound:
                pass
            if time.monotonic() > end:
                sys.exit('nobody consumes the queue ' + queue)
            time.sleep(0.3)

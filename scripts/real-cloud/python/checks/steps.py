"""
Steps do something, `yield`, and undo it: the undoing comes after all steps, the
last one first. A step without `yield` has nothing to undo. What later steps
need, a step puts on the context that it is given.
"""

import inspect
import time
import uuid


class Context:
    """The name for everything that is made, and what was made so far."""

    def __init__(self):
        self.tag = 'check-' + uuid.uuid4().hex[:8]

    def __getattr__(self, name):
        raise RuntimeError('there is no %s: the step that makes it has failed' % name)


def step(what, needs):
    """Marks a function as a step, which runs when all services in `needs` are selected."""
    def mark(function):
        function.what, function.needs = what, needs.split()
        return function
    return mark


def expect(got, wanted):
    if got != wanted:
        raise RuntimeError('got %r, wanted %r' % (got, wanted))


def run(steps, selected):
    """Runs all, prints a line for each, gives the exit status."""
    context, undos, failed = Context(), [], 0
    for function in steps:
        if not set(function.needs) <= set(selected):
            continue
        if inspect.isgeneratorfunction(function):
            generator = function(context)
            if report(function.what, lambda: next(generator)):
                undos.append((function.what, generator))
            else:
                failed += 1
        elif not report(function.what, lambda: function(context)):
            failed += 1
    for what, generator in reversed(undos):
        if not report('clean up: ' + what, lambda: next(generator, None)):
            failed += 1
    print('%d failed' % failed if failed else 'all ok')
    return 1 if failed else 0


def report(what, do):
    started = time.monotonic()
    try:
        do()
    except Exception as error:  # whatever it is, the other steps still tell something
        print('FAIL  %s: %s' % (what, str(error)[:500]), flush=True)
        return False
    print('ok    %-58s %5.1f s' % (what, time.monotonic() - started), flush=True)
    return True

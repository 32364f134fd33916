"""The one exception type of the package."""


class ScalegateError(ValueError):
    """An argument or a set-up that cannot work: the message says what to write instead."""

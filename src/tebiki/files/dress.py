"""Who may do what with a file, taken from one and put on another: mode, owner, group, access list.

What cannot be put on is never made up for by giving others more than they had.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

from tebiki.files import handles
from tebiki.named_tuples import NamedTuple

if TYPE_CHECKING:
    from tebiki.files.paths import Place

ACCESS_LIST = "system.posix_acl_access"
"""Where Linux keeps the list; with one, the group's bits of the mode are the most that any of those
named in it may do, and not what the group may do."""

NO_LISTS = frozenset([errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS])
"""What systems say of a file without a list, and where there are none."""

PERMISSIONS = 0o777


class Dress(NamedTuple):
    """What a file wears; an owner or a group of None stays as it is."""

    mode: int
    owner: int | None = None
    group: int | None = None
    access_list: bytes | None = None

    def without_list(self) -> Dress:
        """The same for whom only the mode tells: the group gets nothing on a list's account."""
        if self.access_list is None:
            return self
        return self._replace(mode=self.mode & ~stat.S_IRWXG, access_list=None)


def dress_of(place: Place, status: os.stat_result) -> Dress:
    """What a file wears that looked like this when it was read."""
    mode = stat.S_IMODE(status.st_mode)
    return Dress(mode, status.st_uid, status.st_gid, _access_list(place))


def put_on(descriptor: int, dress: Dress) -> None:
    """Give an open file all of it that is allowed."""
    if not hasattr(os, "fchmod"):
        return
    mode = dress.mode
    if not _hand_over(descriptor, dress):
        # Whoever is of the file's present group was nobody in particular to the other file.
        mode &= ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
        dress = dress.without_list()
    if dress.access_list is not None:
        try:
            os.setxattr(descriptor, ACCESS_LIST, dress.access_list)
        except OSError:
            mode &= ~stat.S_IRWXG
    os.fchmod(descriptor, mode)


def _hand_over(descriptor: int, dress: Dress) -> bool:
    """Give a file its owner and group, where that is allowed; tells whether the group is right."""
    mine = os.fstat(descriptor)
    owner = mine.st_uid if dress.owner is None else dress.owner
    group = mine.st_gid if dress.group is None else dress.group
    if (mine.st_uid, mine.st_gid) == (owner, group):
        return True
    with suppress(OSError):
        os.fchown(descriptor, owner, group)
        return True
    # A group of one's own can be given to a file whose owner cannot.
    with suppress(OSError):
        os.fchown(descriptor, -1, group)
    return os.fstat(descriptor).st_gid == group


def _access_list(place: Place) -> bytes | None:
    if not hasattr(os, "getxattr"):
        return None
    descriptor = place.folder.open(place.name, handles.READ)
    try:
        return os.getxattr(descriptor, ACCESS_LIST)
    except OSError as error:
        if error.errno in NO_LISTS:
            return None
        raise
    finally:
        os.close(descriptor)

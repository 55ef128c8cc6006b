"""The files of a manual, and the sections they are parted into."""

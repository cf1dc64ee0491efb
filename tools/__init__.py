"""What writes files of this repository. It is for the course's developers, and in no wheel."""

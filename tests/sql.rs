//! The rules of the mailbox, as SQL, through the plain `sqlite3` shell.

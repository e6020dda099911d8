PRAGMA application_id = {application}; PRAGMA user_version = {version};

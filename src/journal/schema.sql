--R"sql(
-- The journal's tables, schema version 1. The first and the last line are comments to SQL and the
-- ends of a string literal to C++, so schema.cc includes this very file.

-- One row per JournalRecord. kind is RecordKind's number; call and outcome are names, because those
-- enumerations may be reordered. chain is CRC-32C over the previous row's chain and this row.
CREATE TABLE record (
  seq     INTEGER PRIMARY KEY,
  kind    INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  node    TEXT    NOT NULL,
  call    TEXT    NOT NULL,
  ref     INTEGER NOT NULL,
  outcome TEXT    NOT NULL,
  key     TEXT    NOT NULL,
  value   TEXT    NOT NULL,
  wall_ms INTEGER NOT NULL,
  chain   INTEGER NOT NULL
) STRICT;

-- The last row's seq and chain, written in the same transaction: lost rows at the end show up here.
CREATE TABLE head (
  one   INTEGER PRIMARY KEY CHECK (one = 1),
  seq   INTEGER NOT NULL,
  chain INTEGER NOT NULL
) STRICT;

-- Where this journal comes from. Row 1 is chained to the CRC of journal_id; crc covers both texts.
CREATE TABLE meta (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  journal_id TEXT    NOT NULL,
  machine    TEXT    NOT NULL,
  crc        INTEGER NOT NULL
) STRICT;

-- Who may append. An empty nonce is a free lock; every broken lock adds one to the generation;
-- inode is the lock file's, so that a deleted lock file cannot pass for a dead holder.
CREATE TABLE owner (
  one        INTEGER PRIMARY KEY CHECK (one = 1),
  generation INTEGER NOT NULL,
  nonce      TEXT    NOT NULL,
  host       TEXT    NOT NULL,
  boot_id    TEXT    NOT NULL,
  pid        INTEGER NOT NULL,
  inode      INTEGER NOT NULL
) STRICT;

CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER record_is_never_removed BEFORE DELETE ON record
BEGIN SELECT RAISE(ABORT, 'the journal is append-only'); END;

PRAGMA application_id = 0x6963686f;
PRAGMA user_version = 1;
--)sql"_sql

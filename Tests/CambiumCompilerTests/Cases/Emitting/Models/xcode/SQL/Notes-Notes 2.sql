-- The schema of Notes, version Notes 2
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Folder" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "Folder.position.range" CHECK ("position" BETWEEN -32768 AND 32767)
) STRICT;
CREATE TABLE "Note" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "headline" TEXT NOT NULL DEFAULT '',
    "created" REAL,
    "price" BLOB DEFAULT x'8000',
    "pinned" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "Note.pinned.range" CHECK ("pinned" IN (0, 1)),
    "labels" TEXT,
    "folder" INTEGER
        REFERENCES "Folder" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "folder_position" INTEGER
) STRICT;
CREATE UNIQUE INDEX "Folder.unique.name" ON "Folder" ("name");
CREATE INDEX "Note.key.folder" ON "Note" ("folder", "folder_position");
CREATE INDEX "Note.index.byCreated" ON "Note" ("created" DESC);
INSERT INTO "_keys" ("entity", "next") VALUES ('Folder', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Note', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Notes');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', 'Notes 2');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', 'c051b036ee2993b500b755cf5c0cb7fa54b4194ac09178a973682d42dcada025');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'f59e2ca49c47cf1c533f24d0df8588acfa6197db1208e16b04b013931e6a94a9');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');

-- Notes: from version Notes to version Notes 2

-- Make Folder: add Folder (additive)
CREATE TABLE "Folder" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL DEFAULT '',
    "position" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "Folder.position.range" CHECK ("position" BETWEEN -32768 AND 32767)
) STRICT;

-- Rebuild Note: rename Note.title to headline; add Note.price; add Note.pinned; add Note.labels; add Note.folder; change the indexes of Note (reversible)
CREATE TABLE "_new_Note" (
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
INSERT INTO "_new_Note" ("_id", "_version", "headline", "created", "price", "pinned", "labels", "folder", "folder_position")
SELECT
    old."_id",
    old."_version",
    old."title" AS "headline",
    old."created",
    x'8000' AS "price",
    0 AS "pinned",
    NULL AS "labels",
    NULL AS "folder",
    NULL AS "folder_position"
FROM "Note" AS old;

-- Put the new tables in place, bring the indexes up to date (reversible)
DROP TABLE "Note";
ALTER TABLE "_new_Note" RENAME TO "Note";
CREATE UNIQUE INDEX "Folder.unique.name" ON "Folder" ("name");
CREATE INDEX "Note.key.folder" ON "Note" ("folder", "folder_position");
CREATE INDEX "Note.index.byCreated" ON "Note" ("created" DESC);
INSERT INTO "_keys" ("entity", "next") VALUES ('Folder', 1);

-- The schema of Playlists, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Playlist" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "favourite" INTEGER
        REFERENCES "Song" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "favourite_position" INTEGER
) STRICT;
CREATE TABLE "Song" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "title" TEXT NOT NULL
) STRICT;
CREATE TABLE "Playlist_songs" (
    "_source" INTEGER NOT NULL
        REFERENCES "Playlist" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_destination" INTEGER NOT NULL
        REFERENCES "Song" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    "_source_position" INTEGER,
    PRIMARY KEY ("_source", "_destination")
) STRICT, WITHOUT ROWID;
CREATE INDEX "Playlist.key.favourite" ON "Playlist" ("favourite", "favourite_position");
CREATE INDEX "Playlist.key.songs" ON "Playlist_songs" ("_destination", "_source");
CREATE INDEX "Playlist.order.songs" ON "Playlist_songs" ("_source", "_source_position", "_destination");
INSERT INTO "_keys" ("entity", "next") VALUES ('Playlist', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Song', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Playlists');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '6d4c8c42cbb3629535ad808c0fece2ee101aa2171c6c4745d1d07e6e61746a86');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'be0323aa4dbfadf3246c3c8ec74dd6bfc7b569edef0817b8515a5c6e908cad9d');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');

-- The schema of Accounts, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Account" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "balance" BLOB NOT NULL
        CONSTRAINT "Account.balance.min" CHECK ("balance" >= x'7df95a64645fff'),
    "rate" BLOB,
    "fee" INTEGER NOT NULL DEFAULT 25
) STRICT;
CREATE UNIQUE INDEX "Account.unique.balance" ON "Account" ("balance");
INSERT INTO "_keys" ("entity", "next") VALUES ('Account', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Accounts');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '335fb3fe0484c7756e95a460bd05963c3f817b7c5e85d23099e7fcfb693dd602');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '65532f043d7a8b435532887db9a99deba5cc6395f0200ec4465ff5a588c3a5bc');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');

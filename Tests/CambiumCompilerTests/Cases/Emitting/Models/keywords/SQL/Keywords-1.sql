-- The schema of Keywords, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Thing" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "type" TEXT NOT NULL,
    "id" BLOB NOT NULL,
    "version" INTEGER NOT NULL,
    "model" TEXT,
    "order" INTEGER NOT NULL
        CONSTRAINT "Thing.order.range" CHECK ("order" BETWEEN -2147483648 AND 2147483647),
    "group" TEXT,
    "to" REAL,
    "index" INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "Thing.index.range" CHECK ("index" BETWEEN -2147483648 AND 2147483647),
    "key" TEXT,
    "text" TEXT,
    "default" INTEGER NOT NULL DEFAULT 1
        CONSTRAINT "Thing.default.range" CHECK ("default" IN (0, 1)),
    "class" TEXT NOT NULL DEFAULT 'default',
    "values_in" TEXT,
    "values_is" INTEGER
        CONSTRAINT "Thing.values.is.range" CHECK ("values_is" IN (0, 1)),
    "value" REAL,
    "record" BLOB,
    "select" TEXT,
    "where" TEXT,
    "case" INTEGER
        REFERENCES "Thing" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT "Thing.values.presence" CHECK ("values_in" IS NULL AND "values_is" IS NULL OR "values_in" IS NOT NULL)
) STRICT;
CREATE INDEX "Thing.key.case" ON "Thing" ("case");
INSERT INTO "_keys" ("entity", "next") VALUES ('Thing', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Keywords');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '0cb8d117db936a111234f9adcae7273dfb24f764eacbc76c3a90a346508f6343');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', '9fa082bb81fa437201f52fdde249b0d8c134deb2bc43a80b245f5570967a2b47');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');

-- The schema of Orders, version 1
CREATE TABLE "_metadata" (
    "name" TEXT NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "_keys" (
    "entity" TEXT NOT NULL PRIMARY KEY,
    "next" INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE "Order" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "price" INTEGER NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "code" TEXT NOT NULL,
    "total" INTEGER
        GENERATED ALWAYS AS (nullif(nullif("price" * "count" | 0, 9223372036854775807), (-9223372036854775807 - 1))) VIRTUAL,
    "canonicalCode" TEXT,
    "customerName" TEXT,
    "customer" INTEGER
        REFERENCES "Customer" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
) STRICT;
CREATE TABLE "Customer" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL,
    "orderCount" INTEGER
) STRICT;
CREATE INDEX "Order.key.customer" ON "Order" ("customer");
INSERT INTO "_keys" ("entity", "next") VALUES ('Order', 1);
INSERT INTO "_keys" ("entity", "next") VALUES ('Customer', 1);
INSERT INTO "_metadata" ("name", "value") VALUES ('model', 'Orders');
INSERT INTO "_metadata" ("name", "value") VALUES ('version', '1');
INSERT INTO "_metadata" ("name", "value") VALUES ('versionHash', '5a89faf4c1404321e8a4bd578ef7285e1f98040c0d410afaa9e16bb796b634b0');
INSERT INTO "_metadata" ("name", "value") VALUES ('schemaHash', 'ff7b1151b5fb725aa32607b9cc9979e799ddb6d7d8cce2053b536669c9b791a7');
INSERT INTO "_metadata" ("name", "value") VALUES ('format', '1');

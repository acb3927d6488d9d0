-- needsData: Reject the store if a value of Product.price does not fit its new type, decimal(2)
CREATE TABLE "_refusal" ("row" INTEGER CONSTRAINT "a value of Product.price does not fit its new type, decimal(2)" CHECK ("row" IS NULL), "value" ANY) STRICT;
INSERT INTO "_refusal" ("row", "value")
SELECT "_id", "price" FROM "Product"
WHERE "price" IS NOT NULL AND NOT ("price" % 100 = 0) LIMIT 1;
DROP TABLE "_refusal";

-- needsData: Rebuild Product: rename Product.name to title; change the type of Product.price to decimal (scale 2); add Product.kind with a value for existing objects; drop Product.legacy and its data (never used); rename Product.group to category; make title of Product unique
CREATE TABLE "_new_Product" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "title" TEXT NOT NULL,
    "price" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "category" INTEGER
        REFERENCES "Category" ("_id") ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED
) STRICT;
INSERT INTO "_new_Product" ("_id", "_version", "title", "price", "kind", "category")
SELECT
    "_id",
    "_version",
    "title",
    "price",
    'book',
    "category"
FROM (
SELECT
    old."_id",
    old."_version",
    old."name" AS "title",
    old."price" / 100 AS "price",
    NULL AS "kind",
    old."group" AS "category"
FROM "Product" AS old
);

-- reversible: Rebuild Category: rename Group to Category
CREATE TABLE "Category" (
    "_id" INTEGER PRIMARY KEY,
    "_version" INTEGER NOT NULL DEFAULT 1,
    "name" TEXT NOT NULL
) STRICT;
INSERT INTO "Category" ("_id", "_version", "name")
SELECT
    old."_id",
    old."_version",
    old."name"
FROM "Group" AS old;

-- additive: Change Note: add Note.made; change the indexes of Note
ALTER TABLE "Note" ADD COLUMN "made" REAL;

-- needsData: Drop the tables Group, put the new tables in place, bring the indexes up to date
DROP TABLE "Product";
DROP TABLE "Group";
ALTER TABLE "_new_Product" RENAME TO "Product";
CREATE INDEX "Product.key.category" ON "Product" ("category");
CREATE UNIQUE INDEX "Product.unique.title" ON "Product" ("title");
CREATE INDEX "Note.index.made" ON "Note" ("made");
UPDATE "_keys" SET "entity" = '_new_Category' WHERE "entity" = 'Group';
UPDATE "_keys" SET "entity" = 'Category' WHERE "entity" = '_new_Category';

"""Tests that the comparison finds what it is there to find: a made-up store of Core Data, and what a
program would say of it with one thing wrong at a time."""

import copy
import json
import os
import sqlite3
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import compare
import coredata

CONTENTS = """<model>
<entity name="Item">
  <attribute name="bytes" attributeType="Binary" optional="YES"/>
  <attribute name="isNew" attributeType="Boolean"/>
  <attribute name="made" attributeType="Date"/>
  <attribute name="photo" attributeType="Binary" allowsExternalBinaryDataStorage="YES"/>
  <attribute name="price" attributeType="Decimal"/>
  <attribute name="scratch" attributeType="String" transient="YES"/>
  <attribute name="token" attributeType="UUID"/>
  <attribute name="weight" attributeType="Float"/>
  <relationship name="owner" destinationEntity="Party" inverseName="items"/>
  <relationship name="tags" toMany="YES" destinationEntity="Tag" inverseName="items"/>
</entity>
<entity name="Party" isAbstract="YES">
  <relationship name="items" toMany="YES" ordered="YES" destinationEntity="Item" inverseName="owner"/>
</entity>
<entity name="Company" parentEntity="Party"><attribute name="code" attributeType="Integer 32"/></entity>
<entity name="Person" parentEntity="Party"><attribute name="code" attributeType="String"/></entity>
<entity name="Tag">
  <relationship name="items" toMany="YES" destinationEntity="Item" inverseName="tags"/>
</entity>
</model>"""

TABLES = """
CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
INSERT INTO Z_PRIMARYKEY VALUES (1, 'Item', 0, 3), (2, 'Party', 0, 2), (3, 'Company', 2, 0),
  (4, 'Person', 2, 0), (5, 'Tag', 0, 2), (16001, 'CHANGE', 0, 1);
CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZISNEW INTEGER,
  ZOWNER INTEGER, Z2_OWNER INTEGER, Z_FOK_OWNER INTEGER, ZWEIGHT FLOAT, ZMADE TIMESTAMP,
  ZPRICE DECIMAL, ZBYTES BLOB, ZPHOTO BLOB, ZTOKEN BLOB);
INSERT INTO ZITEM VALUES
  (1, 1, 1, 1, 1, 3, 2048, 0.1, 500.5, 1.25, NULL, x'0141', x'000102030405060708090a0b0c0d0e0f'),
  (2, 1, 1, 0, 1, 3, 1024, 2, 7, 3, x'41', NULL, NULL), (3, 1, 1, 0, 99, 3, 1, 2, 7, 3, x'', NULL, NULL);
CREATE TABLE ZPARTY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCODE INTEGER, ZCODE1 VARCHAR);
INSERT INTO ZPARTY VALUES (1, 3, 1, 7, NULL), (2, 4, 1, NULL, 'seven');
CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
INSERT INTO ZTAG VALUES (1, 5, 1), (2, 5, 1);
CREATE TABLE Z_1TAGS (Z_1ITEMS INTEGER, Z_5TAGS1 INTEGER, PRIMARY KEY (Z_1ITEMS, Z_5TAGS1));
INSERT INTO Z_1TAGS VALUES (1, 1), (1, 2), (2, 2);
"""


def item(key, values, owner, tags):
    return {"entity": "Item", "id": key, "values": values, "links": {"owner": owner, "tags": tags}}


def party(entity, key, code, items):
    return {"entity": entity, "id": key, "values": {"code": code}, "links": {"items": items}}


OBJECTS = [
    item(1, {
        "bytes": None, "isNew": ["bool", "1"], "made": ["date", "500.5"], "photo": ["data", "QQ=="],
        "price": ["decimal", "1.25"], "token": ["uuid", "00010203-0405-0607-0809-0A0B0C0D0E0F"],
        "weight": ["double", "0.10000000149011612"]}, 1, [2, 1]),
    item(2, {
        "bytes": ["data", "QQ=="], "isNew": ["bool", "0"], "made": ["date", "7.0"], "photo": None,
        "price": ["decimal", "3"], "token": None, "weight": ["double", "2.0"]}, 1, [2]),
    item(3, {
        "bytes": ["data", ""], "isNew": ["bool", "0"], "made": ["date", "7.0"], "photo": None,
        "price": ["decimal", "3"], "token": None, "weight": ["double", "2.0"]}, None, []),
    party("Company", 1, ["int", "7"], [2, 1]), party("Person", 2, ["string", "seven"], []),
    {"entity": "Tag", "id": 1, "values": {}, "links": {"items": [1]}},
    {"entity": "Tag", "id": 2, "values": {}, "links": {"items": [1, 2]}},
]

NOTHING_TOLD = {"refusedRows": [], "changedValues": [], "missingFiles": [], "lostLinks": [],
                "differences": []}


class CompareTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = os.path.join(cls.folder.name, "a store?.sqlite")
        contents = os.path.join(cls.folder.name, "contents")
        with open(contents, "w", encoding="utf-8") as file:
            file.write(CONTENTS)
        database = sqlite3.connect(path)
        database.executescript(TABLES)
        database.close()
        cls.store = coredata.Store(path, coredata.Model(contents))

    @classmethod
    def tearDownClass(cls):
        cls.store.database.close()
        cls.folder.cleanup()

    def differences(self, objects, told=None):
        comparison = compare.Comparison(
            self.store, [json.dumps(o) for o in objects], dict(NOTHING_TOLD, **(told or {})))
        comparison.run()
        return comparison

    def test_what_is_equal_has_no_difference(self):
        found = self.differences(OBJECTS)
        self.assertEqual(found.differences, [])
        self.assertEqual((found.rows, found.values, found.links), (7, 23, 10))
        self.assertEqual(self.store.dangling(), 1)

    def test_every_wrong_value_is_found(self):
        for number, value in enumerate(OBJECTS):
            for name, old in value["values"].items():
                objects = copy.deepcopy(OBJECTS)
                changed = ["string", "x"] if old is None else None
                objects[number]["values"][name] = changed
                with self.subTest(number=number, name=name):
                    self.assertEqual(len(self.differences(objects).differences), 1)

    def test_the_last_bit_counts(self):
        for number, name, value in (
                (0, "made", ["date", "500.50000000000006"]), (0, "weight", ["double", "0.1"]),
                (0, "price", ["decimal", "1.2500001"]), (0, "photo", ["data", "AUE="]),
                (3, "code", ["string", "7"])):
            objects = copy.deepcopy(OBJECTS)
            objects[number]["values"][name] = value
            with self.subTest(name=name):
                self.assertEqual(len(self.differences(objects).differences), 1)

    def test_every_wrong_link_and_order_is_found(self):
        for number, name, value in (
                (0, "owner", None), (0, "owner", 2), (2, "owner", 1), (0, "tags", [1]),
                (1, "tags", []), (3, "items", [1, 2]), (3, "items", [2]), (5, "items", [1, 2])):
            objects = copy.deepcopy(OBJECTS)
            objects[number]["links"][name] = value
            with self.subTest(number=number, name=name):
                self.assertEqual(len(self.differences(objects).differences), 1)

    def test_rows_that_are_missing_or_too_many_or_of_another_entity_are_found(self):
        self.assertEqual(len(self.differences(OBJECTS[1:]).differences), 1)
        more = copy.deepcopy(OBJECTS[6])
        more["id"] = 3
        self.assertEqual(len(self.differences(OBJECTS + [more]).differences), 1)
        objects = copy.deepcopy(OBJECTS)
        objects[3]["entity"] = "Person"
        self.assertEqual(len(self.differences(objects).differences), 1)

    def test_what_is_told_is_no_difference(self):
        told = {"refusedRows": [{"entity": "Item", "id": 1, "property": "made", "reason": ""}]}
        objects = copy.deepcopy(OBJECTS)
        objects[0]["values"]["made"] = None
        found = self.differences(objects, told)
        self.assertEqual((found.differences, found.explained), ([], 1))
        objects[1]["values"]["made"] = None
        self.assertEqual(len(self.differences(objects, told).differences), 1)

    def test_a_column_that_is_missing_has_to_be_told(self):
        objects = copy.deepcopy(OBJECTS)
        for value in objects[:3]:
            value["values"]["size"] = None
        model = self.store.model
        model.entities["Item"].attributes.append(
            coredata.Attribute(ElementTree.fromstring('<a name="size" attributeType="Double"/>')))
        try:
            self.assertEqual(len(self.differences(objects).differences), 1)
            told = {"differences": ["ZITEM has no column for Item.size"]}
            self.assertEqual(self.differences(objects, told).differences, [])
        finally:
            model.entities["Item"].attributes.pop()
            self.store.missing.clear()


if __name__ == "__main__":
    unittest.main()

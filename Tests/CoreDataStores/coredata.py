"""What Core Data wrote into a store, read by the rules of its tables alone.

Nothing here knows how Cambium reads such a store: columns are found by name and by which rows have
values in them, links by the tables of pairs. That is the point: it is the other opinion.
"""

import os
import re
import sqlite3
import struct
import xml.etree.ElementTree as ElementTree

# Entities of the bookkeeping (history, CloudKit) have numbers from here.
FIRST_SYSTEM_ENTITY = 16000


class Unclear(Exception):
    """The store does not say which column or table belongs to a property."""


class Property:
    def __init__(self, element):
        self.name = element.get("name")
        self.is_transient = element.get("transient") == "YES"


class Attribute(Property):
    def __init__(self, element):
        super().__init__(element)
        self.type = element.get("attributeType")
        self.is_derived = element.get("derived") == "YES"
        self.is_external = element.get("allowsExternalBinaryDataStorage") == "YES"
        self.is_transient = self.is_transient or self.type in (None, "Undefined")


class Relationship(Property):
    def __init__(self, element):
        super().__init__(element)
        self.is_to_many = element.get("toMany") == "YES"
        self.is_ordered = element.get("ordered") == "YES"
        self.destination = element.get("destinationEntity")
        self.inverse = element.get("inverseName")


class Entity:
    def __init__(self, element):
        self.name = element.get("name")
        self.former_name = element.get("elementID")
        self.parent = element.get("parentEntity")
        self.attributes = [Attribute(e) for e in element.findall("attribute")]
        self.relationships = [Relationship(e) for e in element.findall("relationship")]


class Model:
    """A version of a model, from the XML that Xcode writes."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        self.composites = {e.get("name"): e for e in root.findall("composite")}
        self.entities = {e.get("name"): Entity(e) for e in root.findall("entity")}

    def lineage(self, name):
        """The entity and its ancestors, the root first."""
        names = []
        while name is not None and name not in names:
            names.insert(0, name)
            name = self.entities[name].parent
        return [self.entities[n] for n in names]

    def root(self, name):
        return self.lineage(name)[0].name

    def declarer(self, name, relationship):
        return next(
            e for e in self.lineage(name) if any(r.name == relationship for r in e.relationships))

    def relationship(self, name, relationship):
        return next(
            r for r in self.declarer(name, relationship).relationships if r.name == relationship)


class Row:
    def __init__(self, entity, key, values):
        self.entity, self.key, self.values = entity, key, values


class Store:
    """The objects of a store, as rows by root entity and key."""

    def __init__(self, path, model):
        self.path, self.model = path, model
        uri = "file:%s?mode=ro" % path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
        self.database = sqlite3.connect(uri, uri=True)
        self.database.text_factory = bytes
        self.numbers, self.names = {}, {}
        for number, name in self.database.execute("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY"):
            if number < FIRST_SYSTEM_ENTITY:
                self.numbers[name.decode()] = number
                self.names[number] = name.decode()
        # A store that was migrated in place keeps the names from before in this table.
        for entity in model.entities.values():
            former = entity.former_name
            if entity.name not in self.numbers and former not in model.entities:
                number = self.numbers.pop(former, None)
                if number is not None:
                    self.numbers[entity.name] = number
                    self.names[number] = entity.name
        self.tables = {}
        for (name,) in self.database.execute(
                "SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            name = name.decode()
            self.tables[name] = [
                r[1].decode()
                for r in self.database.execute('PRAGMA table_info("%s")' % name)]
        self.rows = {e.name: {} for e in model.entities.values() if e.parent is None}
        self.strangers = []
        for root in self.rows:
            self._read(root)
        self._columns = {}
        self._pairs = {}
        # Properties without a column, of a version that did not write the store.
        self.missing = set()

    def _read(self, root):
        table = "Z" + root.upper()
        if table not in self.tables:
            # Nothing was ever stored: the entity has no table in old stores.
            return
        columns = self.tables[table]
        for values in self.database.execute('SELECT * FROM "%s"' % table):
            row = dict(zip(columns, values))
            name = self.names.get(row["Z_ENT"])
            if name not in self.model.entities or self.model.root(name) != root:
                self.strangers.append((root, row["Z_PK"], row["Z_ENT"]))
                continue
            self.rows[root][row["Z_PK"]] = Row(name, row["Z_PK"], row)

    def family_rows(self, entity):
        """The rows of an entity and all below it."""
        rows = self.rows[self.model.root(entity)].values()
        return [r for r in rows if any(e.name == entity for e in self.model.lineage(r.entity))]

    def column(self, entity, name):
        """The column of a property that an entity declares, or None where all rows are empty and
        it does not matter which one it is.

        Core Data names it Z and the name; where two entities of one table declare the same name,
        further ones have a number at the end. Whose is whose is seen from the rows: nobody else's
        objects have a value in it.
        """
        place = (entity, name)
        if place not in self._columns:
            pattern = re.compile(re.escape("Z" + name.upper()) + r"\d*$")
            table = "Z" + self.model.root(entity).upper()
            candidates = [c for c in self.tables.get(table, []) if pattern.match(c)]
            # A name that ends in digits may be another property's.
            others = {
                "Z" + p.name.upper()
                for e in self.model.entities.values()
                for p in e.attributes + e.relationships if p.name.upper() != name.upper()}
            candidates = [c for c in candidates if c not in others]
            rows = self.family_rows(entity)
            used = [c for c in candidates if any(r.values[c] is not None for r in rows)]
            if rows and not candidates:
                self.missing.add("%s.%s" % place)
            if len(used) > 1:
                raise Unclear("%s.%s may be any of %s" % (entity, name, ", ".join(used)))
            self._columns[place] = used[0] if used else None
        return self._columns[place]

    # Values

    def value(self, row, declarer, attribute):
        """(kind, value) as the runtime's side spells them, or None."""
        column = self.column(declarer.name, attribute.name)
        stored = None if column is None else row.values[column]
        if stored is None:
            return None
        kind = attribute.type
        if kind == "Boolean":
            return ("bool", "1" if stored else "0")
        if kind.startswith("Integer"):
            return ("int", int(stored))
        if kind == "Double":
            return ("double", float(stored))
        if kind == "Float":
            return ("float", struct.unpack("f", struct.pack("f", float(stored)))[0])
        if kind == "Decimal":
            return ("decimal", stored)
        if kind == "Date":
            return ("date", float(stored))
        if kind == "String":
            return ("string", stored.decode("utf-8", "surrogateescape"))
        if kind == "URI":
            return ("uri", stored.decode("utf-8", "surrogateescape"))
        if kind == "UUID":
            text = stored.hex().upper()
            parts = (text[:8], text[8:12], text[12:16], text[16:20], text[20:])
            return ("uuid", "-".join(parts))
        if attribute.is_external:
            return ("data", self._external(stored))
        return ("data", stored)

    def _external(self, stored):
        """Large values lie in files; the first byte says so, and others have it too."""
        if stored[:1] == b"\x01":
            return stored[1:]
        if stored[:1] == b"\x02":
            folder, name = os.path.split(self.path)
            file = stored[1:].split(b"\x00")[0].decode()
            base = os.path.splitext(name)[0]
            path = os.path.join(folder, ".%s_SUPPORT" % base, "_EXTERNAL_DATA", file)
            try:
                with open(path, "rb") as content:
                    return content.read()
            except OSError:
                return None
        return stored

    # Links

    def links(self, row, declarer, relationship):
        """The keys that a relationship leads to, in order where it has one: a list of groups, each
        of keys whose order among each other the store leaves open. Dangling ones are left out."""
        destination = self.model.root(relationship.destination)
        inverse = None
        if relationship.inverse:
            inverse = self.model.relationship(relationship.destination, relationship.inverse)
        if not relationship.is_to_many:
            column = self.column(declarer.name, relationship.name)
            key = None if column is None else row.values[column]
            return [[key]] if key in self.rows[destination] else []
        if inverse is not None and not inverse.is_to_many:
            pairs = self._members(relationship, inverse)
        else:
            pairs = self._joined(declarer, relationship, inverse)
        found = {}
        for position, key in pairs.get(row.key, []):
            if key in self.rows[destination]:
                found.setdefault(position if relationship.is_ordered else None, []).append(key)
        order = sorted(found, key=lambda p: (p is None, p or 0))
        return [sorted(found[p]) for p in order]

    def dangling(self):
        """How many keys lead to no row: to-ones only, and ends of pairs."""
        count = 0
        for entity in self.model.entities.values():
            for relationship in entity.relationships:
                if relationship.is_transient or relationship.is_to_many:
                    continue
                column = self.column(entity.name, relationship.name)
                rows = self.rows[self.model.root(relationship.destination)]
                for row in self.family_rows(entity.name) if column else []:
                    key = row.values[column]
                    count += key is not None and key not in rows
        return count

    def _members(self, relationship, inverse):
        """The members of a one-to-many, by owner: the far rows that lead back."""
        place = (relationship.destination, inverse.name)
        if place not in self._pairs:
            declarer = self.model.declarer(relationship.destination, inverse.name)
            column = self.column(declarer.name, inverse.name)
            pairs = {}
            for row in self.family_rows(declarer.name) if column else []:
                owner = row.values[column]
                position = row.values.get("Z_FOK_" + column[1:])
                pairs.setdefault(owner, []).append((position, row.key))
            self._pairs[place] = pairs
        return self._pairs[place]

    def _joined(self, declarer, relationship, inverse):
        """The members of a many-to-many, by owner: the pairs of its table.

        The table is Z_, the number of one side's entity and the name of its relationship. In the
        columns stand the number of an entity whose keys they hold and the name of the relationship
        that leads there.
        """
        place = (declarer.name, relationship.name)
        if place in self._pairs:
            return self._pairs[place]
        near = self.numbers.get(declarer.name)
        if inverse is None:
            raise Unclear("%s.%s has many and no inverse" % place)
        far_declarer = self.model.declarer(relationship.destination, inverse.name)
        far = self.numbers.get(far_declarer.name)
        sides = ((near, relationship.name), (far, inverse.name))
        tables = [
            t for t in self.tables for n, name in sides
            if re.match(r"Z_%s%s\d*$" % (n, re.escape(name.upper())), t)]
        if len(set(tables)) != 1:
            if not self.family_rows(declarer.name):
                return {}
            raise Unclear("%s.%s may be in %s" % (place + (", ".join(tables) or "no table",)))
        columns = self.tables[tables[0]]

        def side(number, name):
            found = [
                c for c in columns
                if re.match(r"Z_%s%s\d*$" % (number, re.escape(name.upper())), c)]
            if len(found) != 1:
                raise Unclear("%s of %s may be any of %s" % (name, tables[0], found))
            return found[0]

        owner, member = side(near, inverse.name), side(far, relationship.name)
        position = "Z_FOK_" + member[2:]
        if position not in columns:
            position = None
        pairs = {}
        for owner_key, member_key, place_in_list in self.database.execute(
                'SELECT "%s", "%s", %s FROM "%s"' % (
                    owner, member, '"%s"' % position if position else "NULL", tables[0])):
            pairs.setdefault(owner_key, []).append((place_in_list, member_key))
        self._pairs[place] = pairs
        return pairs

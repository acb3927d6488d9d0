"""The work of PostgresBenchmarks with SQLAlchemy's ORM, on the tables that Cambium has created.

Reads a workload from each line of the standard input, does it once, and prints a line: the elapsed
seconds, and the processor seconds of this process.

usage: people.py URL SCHEMA
"""

import datetime
import gc
import random
import sys
import time
import uuid

from sqlalchemy import BigInteger, DateTime, MetaData, create_engine, select, update
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

url, schema = sys.argv[1:]
engine = create_engine("postgresql+psycopg" + url[url.index(":") :])


class Base(DeclarativeBase):
    metadata = MetaData(schema=schema)


class Person(Base):
    __tablename__ = "Person"

    id: Mapped[int] = mapped_column("_id", BigInteger, primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column("_version", BigInteger)
    name: Mapped[str]
    email: Mapped[str]
    note: Mapped[str | None]
    salary: Mapped[float]
    age: Mapped[int]
    level: Mapped[int] = mapped_column(BigInteger)
    points: Mapped[int] = mapped_column(BigInteger)
    isActive: Mapped[bool]
    hiredAt: Mapped[datetime.datetime] = mapped_column(DateTime(timezone=True))
    code: Mapped[uuid.UUID]
    department: Mapped[int | None] = mapped_column(BigInteger)

    # An UPDATE checks the version, and increments it.
    __mapper_args__ = {"version_id_col": version}


ATTRIBUTES = [
    "id", "name", "email", "note", "salary", "age", "level", "points", "isActive", "hiredAt", "code",
    "department",
]  # fmt: skip
people: list[dict] = []
sample: list[int] = []


def remember():
    """Reads the people that the other side has written once, to insert them and look them up."""
    with Session(engine) as session:
        columns = [getattr(Person, name) for name in ATTRIBUTES]
        for row in session.execute(select(*columns).order_by(Person.id)):
            people.append(dict(row._mapping))
    keys = [person["id"] for person in people]
    sample.extend(random.Random(1).sample(keys, min(10_000, len(keys))))


def touch(person):
    """Reads each attribute."""
    person.name, person.email, person.note, person.salary, person.age, person.level
    person.points, person.isActive, person.hiredAt, person.code, person.department


def insert():
    with Session(engine) as session:
        yield
        session.add_all([Person(**values) for values in people])
        session.commit()
        yield


def unit_of_work():
    with Session(engine) as session:
        objects = session.scalars(select(Person)).all()
        yield
        for person in objects:
            person.salary += 1
        session.commit()
        yield


def bulk_update():
    """By primary key and version, as "ORM Bulk UPDATE by Primary Key" of the manual has it: from rows,
    without objects."""
    with Session(engine) as session:
        rows = session.execute(select(Person.id, Person.version, Person.salary)).all()
        yield
        session.execute(
            update(Person),
            [
                {"id": id, "version": version, "salary": salary + 1}
                for id, version, salary in rows
            ],
        )
        session.commit()
        yield


def fetch():
    yield
    with Session(engine) as session:
        objects = session.scalars(select(Person)).all()
        for person in objects:
            touch(person)
        assert len(objects) == len(people)
        yield


def fault():
    with Session(engine) as session:
        yield
        for key in sample:
            touch(session.get(Person, key))
        yield


WORKLOADS = {
    "insert": insert,
    "update": unit_of_work,
    "bulk-update": bulk_update,
    "fetch": fetch,
    "fault": fault,
}

for line in sys.stdin:
    word = line.strip()
    if word == "remember":
        remember()
        print("ok", flush=True)
        continue
    steps = WORKLOADS[word]()
    # The time from one yield to the next is measured.
    next(steps)
    gc.collect()
    wall, processor = time.perf_counter(), time.process_time()
    next(steps)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    steps.close()
    print(wall, processor, flush=True)

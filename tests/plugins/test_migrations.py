"""The migrations of a plugin: a folder and a table of versions of its own, from the first to the removal."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from config import ROOT
from tests.plugins.conftest import HERE

TABLES = ("gadgets_gadget", "gadgets_part")
BROKEN = '''"""Break off half-way."""

from alembic import op

revision, down_revision, branch_labels, depends_on = "0002", "0001", None, None


def upgrade():
    op.execute("CREATE TABLE gadgets_half (id int)")
    op.execute("SELECT nonsense FROM nowhere")


def downgrade():
    op.execute("DROP TABLE gadgets_half")
'''


class World:
    """A database, and a folder with the plugin of gadgets."""

    def __init__(self, run, folder):
        self.run, self.folder = run, folder
        self.migrations = folder / "gadgets" / "migrations"

    def flask(self, *arguments, plugins="gadgets.plugin", **options):
        return self.run("-m", "flask", *arguments, plugins=plugins, **options)

    def done(self, *arguments, **options):
        done = self.flask(*arguments, **options)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def rows(self, query):
        with psycopg.connect(self.run.url) as connection:
            return connection.execute(query).fetchall()

    @property
    def tables(self):
        found = self.rows("SELECT tablename FROM pg_tables WHERE tablename LIKE '%gadgets%' ORDER BY 1")
        return [name for (name,) in found]


@pytest.fixture(scope="module")
def template(project, tmp_path_factory):
    """The plugin with its first migration, which it has written itself."""
    folder = tmp_path_factory.mktemp("gadgets")
    shutil.copytree(HERE / "gadgets", folder / "gadgets")
    world = World(project(folder), folder)
    world.done("db", "upgrade", plugins="")
    world.done("db", "migrate", "--plugin", "gadgets", "-m", "gadgets")
    return world


@pytest.fixture
def world(template, project, tmp_path):
    """An empty database, and the plugin with its first migration."""
    shutil.copytree(template.folder / "gadgets", tmp_path / "gadgets")
    made = World(project(tmp_path), tmp_path)
    made.done("db", "upgrade")
    return made


@pytest.mark.full
def test_a_plugin_writes_its_own_tables_into_a_numbered_migration_and_leaves_ours_alone(template):
    (first,) = template.migrations.glob("*.py")
    assert first.name == "0001_gadgets.py"
    content = first.read_text()
    assert [
        content.count(f'create_table("{table}"') + content.count(f"create_table('{table}'") for table in TABLES
    ] == [
        1,
        1,
    ]
    assert "rowgate_keep_version('gadgets_gadget')" in content
    assert "crm_" not in content


@pytest.mark.full
def test_a_service_starts_before_the_first_migration_of_models_that_count_rows(project, tmp_path):
    shutil.copytree(ROOT / "examples" / "rental", tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / "rental" / "migrations")
    world = World(project(tmp_path), tmp_path)
    triggers = "SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'rowgate_count_rental_item%'"
    world.done("db", "upgrade", plugins="rental.plugin")
    assert world.rows(triggers) == [(0,)]
    said = world.done("db", "migrate", "--plugin", "rental", "-m", "rental", plugins="rental.plugin")
    assert "Warning" not in said
    world.done("db", "upgrade", plugins="rental.plugin")
    assert world.rows(triggers) == [(4,)]


@pytest.mark.full
def test_an_upgrade_brings_the_trunk_and_then_the_plugin_to_its_head(world):
    assert world.tables == ["alembic_version_gadgets", *TABLES]
    assert world.rows("SELECT version_num FROM alembic_version_gadgets") == [("0001",)]
    assert "gadgets" not in str(world.rows("SELECT version_num FROM alembic_version"))
    assert world.flask("db", "check").returncode == 0, "neither has anything to write"
    assert "No new upgrade operations" in world.done("db", "check", plugins="")


@pytest.mark.full
def test_a_plugin_goes_back_and_forth_alone(world):
    world.done("db", "downgrade", "--plugin", "gadgets", "base")
    assert world.tables == ["alembic_version_gadgets"]
    assert "0001" in world.flask("doctor").stdout
    world.done("db", "upgrade", "--plugin", "gadgets")
    assert world.tables == ["alembic_version_gadgets", *TABLES]


@pytest.mark.full
def test_the_second_migration_has_what_has_changed_since_the_first(world):
    models = world.folder / "gadgets" / "models.py"
    models.write_text(
        models.read_text().replace(
            "    part_count:", "    colour: Mapped[str | None] = string(FILTERABLE, max=20)\n    part_count:"
        )
    )
    world.done("db", "migrate", "--plugin", "gadgets", "-m", "colours")
    (second,) = world.migrations.glob("0002_*.py")
    assert "add_column" in second.read_text()
    assert "create_table" not in second.read_text()
    assert world.done("db", "upgrade") == "Applied 0002 of the plugin gadgets: colours\n"
    assert world.rows("SELECT colour FROM gadgets_gadget") == []
    assert world.done("db", "upgrade") == "Nothing to apply: the schema is at its head\n"


@pytest.mark.full
def test_a_table_that_a_step_back_makes_again_has_its_versions_raised(world):
    models = world.folder / "gadgets" / "models.py"
    models.write_text(models.read_text().replace('"gadgets_part"', '"gadgets_piece"'))
    world.done("db", "migrate", "--plugin", "gadgets", "-m", "pieces")
    world.done("db", "upgrade")
    world.done("db", "downgrade", "--plugin", "gadgets", "0001")
    raising = "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%version%'"
    assert {("gadgets_gadget",), ("gadgets_part",)} <= set(world.rows(f"{raising} AND NOT tgisinternal"))


@pytest.mark.full
def test_a_migration_that_breaks_off_leaves_nothing_and_is_named(world):
    (world.migrations / "0002_broken.py").write_text(BROKEN)
    failed = world.flask("db", "upgrade")
    assert failed.returncode == 1
    assert "The migration 0002 of the plugin gadgets failed" in failed.stderr
    assert "mend it, then run flask db upgrade" in failed.stderr
    assert "gadgets_half" not in world.tables
    doctor = world.flask("doctor").stdout
    assert "the schema of the plugin gadgets is at 0001, the code at 0002: run flask db upgrade" in doctor


@pytest.mark.full
def test_a_plugin_that_is_not_loaded_leaves_its_tables_until_they_are_dropped(world):
    left = "The plugin gadgets is not loaded and has left gadgets_gadget, gadgets_part"
    assert left in world.flask("doctor", plugins="").stdout
    assert "is loaded: take it out of PLUGINS first" in world.flask("plugins", "drop", "gadgets").stderr
    asked = world.flask("plugins", "drop", "gadgets", plugins="")
    assert (asked.returncode, world.tables) == (1, ["alembic_version_gadgets", *TABLES]), "nobody has said yes"
    assert "are removed" in world.done("plugins", "drop", "gadgets", "--yes", plugins="")
    assert world.tables == []
    assert "No plugin gadgets has left tables" in world.flask("plugins", "drop", "gadgets", plugins="").stderr


@pytest.mark.full
def test_what_is_dropped_is_never_a_table_of_ours_or_of_a_plugin_that_is_loaded(world):
    note = '{"plugin": "gone", "tables": ["crm_contact", "gadgets_part", "alembic_version", "procrastinate_jobs"]}'
    with psycopg.connect(world.run.url) as connection:
        connection.execute("CREATE TABLE alembic_version_gone (version_num text)")
        connection.execute(f"COMMENT ON TABLE alembic_version_gone IS '{note}'")
    assert "The plugin gone is not loaded and has left its table of versions" in world.flask("doctor").stdout
    assert "No new upgrade operations" in world.done("db", "check"), "the trunk looks after its tables all the same"
    world.done("plugins", "drop", "gone", "--yes")
    assert world.tables == ["alembic_version_gadgets", *TABLES]
    kept = "to_regclass('crm_contact'), to_regclass('alembic_version'), to_regclass('procrastinate_jobs')"
    assert None not in world.rows(f"SELECT {kept}, to_regclass('alembic_version_gone') IS NULL OR NULL")[0]


@pytest.mark.full
def test_a_plugin_with_models_and_no_migrations_is_told_how_to_write_one(world):
    shutil.rmtree(world.migrations)
    assert "the plugin gadgets has no migrations: run flask db migrate --plugin gadgets" in world.flask("doctor").stdout


@pytest.mark.full
def test_a_plugin_that_nobody_knows_is_named(world):
    assert "No plugin gizmos with tables is loaded" in world.flask("db", "upgrade", "--plugin", "gizmos").stderr


@pytest.mark.full
def test_a_backup_has_the_tables_of_plugins_and_one_of_a_newer_plugin_is_refused(world, project, tmp_path):
    archive = str(tmp_path / "archive.tar")
    world.done("backup", archive)
    other = World(project(world.folder), world.folder)
    (first,) = world.migrations.glob("*.py")
    kept = first.rename(tmp_path / first.name)
    refused = other.flask("restore", archive)
    assert "The backup has a newer schema of the plugin gadgets" in refused.stderr
    assert other.tables == []
    kept.rename(first)
    other.done("restore", archive)
    assert other.tables == ["alembic_version_gadgets", *TABLES]


@pytest.mark.full
def test_two_who_migrate_at_once_wait_for_each_other(template, project):
    both = World(project(template.folder), template.folder)
    with ThreadPoolExecutor(2) as pool:
        done = [each.result() for each in [pool.submit(both.flask, "db", "upgrade") for _ in range(2)]]
    assert [each.returncode for each in done] == [0, 0], [each.stderr for each in done]
    assert both.tables == ["alembic_version_gadgets", *TABLES]

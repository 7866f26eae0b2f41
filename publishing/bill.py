"""Bills of materials in CycloneDX 1.6: what the service and the npm client are installed with, and what the
studio is built of, from their lock files.

Hashes are those of every file of a package that the lock file admits; licences are those that the installed package,
or npm's lock file, names.
"""

from __future__ import annotations

import base64
import re
import uuid
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

PIN = re.compile(r"^(?P<name>[\w.-]+)(?:\[[^]]*\])?==(?P<version>[^\s;\\]+)(?:\s*;\s*(?P<marker>[^\\]+?))?\s*\\?$")
HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
OWN = "setup.cfg"
# From npm's names of digests to those of CycloneDX.
DIGESTS = {"sha512": "SHA-512", "sha384": "SHA-384", "sha256": "SHA-256", "sha1": "SHA-1"}
SPDX_TEXT = re.compile(r"[A-Za-z0-9.+-]+")
# What classifiers say, in the identifiers of SPDX.
CLASSIFIERS = {
    "MIT License": "MIT", "Apache Software License": "Apache-2.0", "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Python Software Foundation License": "PSF-2.0",
}  # fmt: skip

Json = dict[str, Any]


def of_python(name: str, version: str, lock: str, when: str) -> Json:
    """The bill of what ``requirements.lock`` pins."""
    components, needed_by = [], {}
    for lines in _entries(lock):
        match = PIN.match(lines[0])
        assert match is not None, lines[0]  # noqa: S101 - the file is written by a program
        components.append(_python_component(match, HASH.findall("\n".join(lines))))
        needed_by[components[-1]["bom-ref"]] = _via(lines)
    called: dict[str, list[str]] = {}
    for each in components:
        called.setdefault(each["name"], []).append(each["bom-ref"])
    own = f"pkg:pypi/{name}@{version}"
    edges = {own: [ref for ref, via in needed_by.items() if any(OWN in each for each in via)]}
    for each in components:
        edges[each["bom-ref"]] = [ref for ref, via in needed_by.items() if each["name"] in via]
    return _bill(own, name, version, "MIT", components, edges, when)


def of_npm(lock: Mapping[str, Any], when: str) -> Json:
    """The bill of what ``package-lock.json`` pins for those who use the package."""
    packages = {path: each for path, each in lock["packages"].items() if path and not each.get("dev")}
    refs = {path: _npm_purl(_npm_name(path), each["version"]) for path, each in packages.items()}
    # The same version may lie in several places.
    components = {refs[path]: _npm_component(_npm_name(path), each, refs[path]) for path, each in packages.items()}
    root = lock["packages"][""]
    own = _npm_purl(lock["name"], lock["version"])
    edges: dict[str, set[str]] = {own: set()}
    for path, each in {"": root, **packages}.items():
        found = (_npm_place(path, needed, packages) for needed in each.get("dependencies", {}))
        edges.setdefault(refs.get(path, own), set()).update(refs[place] for place in found if place is not None)
    licence = root.get("license", "MIT")
    return _bill(own, lock["name"], lock["version"], licence, [*components.values()], edges, when)


def _bill(
    own: str,
    name: str,
    version: str,
    licence: str,
    components: list[Json],
    edges: Mapping[str, Collection[str]],
    when: str,
) -> Json:
    kind = "application" if own.startswith("pkg:pypi") else "library"
    root = {"type": kind, "bom-ref": own, "name": name, "version": version, "purl": own, **_licences(licence)}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # The same from the same, so that it can be compared.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own} {when}')}",
        "version": 1,
        "metadata": {"timestamp": when, "component": root},
        "components": components,
        "dependencies": [{"ref": ref, "dependsOn": sorted(needed)} for ref, needed in edges.items()],
    }


def _entries(lock: str) -> Iterable[list[str]]:
    """The lines of each package: those after its own are indented."""
    entry: list[str] = []
    for line in lock.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if not line.startswith(" ") and entry:
            yield entry
            entry = []
        entry.append(line)
    if entry:
        yield entry


def _via(lines: Iterable[str]) -> set[str]:
    """Who needs the package, as uv notes it."""
    notes = [line.strip().removeprefix("#").strip() for line in lines if line.lstrip().startswith("#")]
    return {note.removeprefix("via").strip() for note in notes} - {""}


def _python_component(pin: re.Match[str], hashes: list[str]) -> Json:
    name, version, marker = pin["name"], pin["version"], pin["marker"]
    purl = f"pkg:pypi/{name}@{version}"
    component: Json = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    component["hashes"] = [{"alg": "SHA-256", "content": each} for each in hashes]
    if marker:
        component |= {"scope": "optional", "properties": [{"name": "rowgate:marker", "value": marker}]}
    return component | _licences(_licence_of(name, version))


def _licence_of(name: str, version: str) -> str:
    """What the installed package says of its licence; nothing when that version is not installed here."""
    try:
        installed: Distribution = distribution(name)
    except PackageNotFoundError:
        return ""
    if installed.version != version:
        return ""
    said = {name: installed.metadata.get_all(name, []) for name in ("License-Expression", "License", "Classifier")}
    if said["License-Expression"]:
        return str(said["License-Expression"][0])
    stated = "".join(said["License"]).strip()
    classified = [each.rpartition(" :: ")[2] for each in said["Classifier"] if each.startswith("License ::")]
    if SPDX_TEXT.fullmatch(stated) or not classified:
        return stated.partition("\n")[0]
    return CLASSIFIERS.get(classified[-1], classified[-1])


def _licences(text: str) -> Json:
    """An expression where it is one of SPDX, else the name that the package uses."""
    if not text:
        return {}
    words = text.replace("(", " ").replace(")", " ").split()
    is_expression = all(SPDX_TEXT.fullmatch(each) for each in words) and all(
        (each in ("AND", "OR", "WITH")) == bool(position % 2) for position, each in enumerate(words)
    )
    is_spdx = is_expression and text.upper() not in ("BSD", "APACHE", "DUAL", "UNKNOWN")
    return {"licenses": [{"expression": text}] if is_spdx else [{"license": {"name": text}}]}


def _npm_name(path: str) -> str:
    """The name of the package that lies at a place of the lock file."""
    return path.rpartition("node_modules/")[2]


def _npm_place(path: str, needed: str, packages: Mapping[str, Any]) -> str | None:
    """Where the package at ``path`` finds another: the nearest one upwards, as Node looks for it."""
    while True:
        place = f"{path}/node_modules/{needed}".lstrip("/")
        if place in packages or not path:
            return place if place in packages else None
        path = path.rpartition("node_modules/")[0].rstrip("/")


def _npm_purl(name: str, version: str) -> str:
    return f"pkg:npm/{name.replace('@', '%40')}@{version}"


def _npm_component(name: str, package: Mapping[str, Any], purl: str) -> Json:
    component: Json = {"type": "library", "bom-ref": purl, "name": name, "version": package["version"], "purl": purl}
    algorithm, _, digest = package["integrity"].partition("-")
    component["hashes"] = [{"alg": DIGESTS[algorithm], "content": base64.b64decode(digest).hex()}]
    return component | _licences(package.get("license", ""))

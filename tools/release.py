"""Build a release, check what was built, list what it is made of, and sign it.

    python tools/release.py build --key KEY     # dist/: wheels, sdists, bills of materials, signed sums
    python tools/release.py build --unsigned    # the same without a signature, to try
    python tools/release.py verify FOLDER SIGNERS WHO

Nothing is uploaded. The key is one of OpenSSH, and no service is asked; CONTRIBUTING.md says how others
verify.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

from wheels import ROOT, Environment, run

PACKAGES = {
    "rankgate": "rankgate",
    "rankgate-engines": "rankgate_engines",
    "rankgate-reference": "rankgate_reference",
}
SUMS = "SHA256SUMS"
NAMESPACE = "rankgate-release"
"""What a signature is for: one made for anything else is not taken."""
TOOLS = ROOT / ".fixtures" / "release-venv" / "bin"


def version() -> str:
    """Return the one version of all packages; what differs, or is not in the changelog, is raised."""
    found: dict[str, str] = {}
    for package in PACKAGES:
        path = ROOT / "packages" / package / "pyproject.toml"
        project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
        found[package] = project["version"]
    if len(set(found.values())) != 1:
        raise ValueError(f"the packages differ in their version: {found}")
    (number,) = set(found.values())
    if f"\n## [{number}] - " not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        raise ValueError(f"CHANGELOG.md has no heading '## [{number}] - DATE'")
    return number


def build(folder: Path) -> list[Path]:
    """Build wheels and sdists with the time of the commit, twice, and raise where two builds differ."""
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    os.environ["SOURCE_DATE_EPOCH"] = epoch
    sums = []
    for place in (folder.with_name(f"{folder.name}-again"), folder):
        run("rm", "-rf", str(place))
        for package in PACKAGES:
            options = ["--quiet", "--no-build-isolation", "--python", ".venv", "--out-dir", str(place)]
            run("uv", "build", *options, f"packages/{package}")
        (place / ".gitignore").unlink(missing_ok=True)
        sums.append({path.name: digest(path) for path in sorted(place.iterdir())})
    run("rm", "-rf", str(folder.with_name(f"{folder.name}-again")))
    if sums[0] != sums[1]:
        raise ValueError(f"two builds of the same commit differ: {sums[0]} and {sums[1]}")
    return sorted(folder.iterdir())


def wheel_problems(wheel: Path, package: str) -> list[str]:
    """Return what is wrong with the content of a wheel: licence, notices, description, foreign files."""
    source, module = ROOT / "packages" / package, PACKAGES[package]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (info,) = {name.split("/")[0] for name in names if name.split("/")[0].endswith(".dist-info")}
        problems = [f"{name}: not of {module}" for name in names if name.split("/")[0] not in (module, info)]
        problems += [f"{name}: compiled" for name in names if name.endswith((".pyc", ".so"))]
        own = {
            str(path.relative_to(source / "src")): path
            for path in (source / "src" / module).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        problems += [f"{name}: missing" for name in sorted(set(own) - set(names))]
        metadata = archive.read(f"{info}/METADATA").decode()
        for name in (path.name for path in _licence_files(source)):
            kept = f"{info}/licenses/{name}"
            if kept not in names or len(archive.read(kept)) < 200:
                problems.append(f"{kept}: missing, or no text")
        description = metadata.partition("\n\n")[2]
        if not description.startswith(f"# {package}\n"):
            problems.append(f"{info}/METADATA: the description is {description[:40]!r}")
        problems += [
            f"description: relative link {link}"
            for link in re.findall(r"\]\((?!https?:)([^)]*)\)", description)
        ]
    return [f"{wheel.name}: {problem}" for problem in problems]


def _licence_files(source: Path) -> list[Path]:
    """Return the licence of a package, and its notices of what it carries of others."""
    return [source / "LICENSE", *source.glob("THIRD_PARTY_NOTICES.md")]


def sdist_problems(sdist: Path) -> list[str]:
    """Return what is wrong with an sdist: links, files that lead out of it, missing texts."""
    with tarfile.open(sdist) as archive:
        members = archive.getmembers()
    root = sdist.name.removesuffix(".tar.gz")
    names = {member.name for member in members}
    problems = [
        f"{member.name}: no plain file" for member in members if not (member.isfile() or member.isdir())
    ]
    problems += [f"{name}: outside {root}" for name in names if not name.startswith(f"{root}/")]
    wanted = ("LICENSE", "README.md", "pyproject.toml", "PKG-INFO")
    problems += [f"{name}: missing" for name in wanted if f"{root}/{name}" not in names]
    return [f"{sdist.name}: {problem}" for problem in problems]


def bills(folder: Path, number: str) -> list[Path]:
    """Write a bill of materials (CycloneDX) of each package with what is installed beside it by default."""
    written = []
    for package in PACKAGES:
        environment = Environment.make("release", sys.executable)
        environment.install("--find-links", str(folder), f"{package}=={number}")
        path = folder / f"{package}-{number}.cdx.json"
        project = str(ROOT / "packages" / package / "pyproject.toml")
        options = ["--output-reproducible", "--pyproject", project, "--mc-type", "library", "-o", str(path)]
        run(str(TOOLS / "cyclonedx-py"), "environment", *options, environment.program("python"))
        bill = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(f"{json.dumps(bill, indent=2)}\n", encoding="utf-8")
        said = run(environment.program("rankgate"), "--version")
        if number not in said:
            raise ValueError(f"rankgate --version says {said!r}, not {number}")
        environment.remove()
        written.append(path)
    return written


def digest(path: Path) -> str:
    """Return the sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_sums(folder: Path) -> Path:
    """Write the sha256 of every file of a folder, as sha256sum does."""
    listed = folder / SUMS
    files = [path for path in sorted(folder.iterdir()) if path.name not in (SUMS, f"{SUMS}.sig")]
    listed.write_text("".join(f"{digest(path)}  {path.name}\n" for path in files), encoding="utf-8")
    return listed


def sign(listed: Path, key: Path) -> Path:
    """Sign the sums by a key of OpenSSH, without asking any service."""
    signature = listed.with_name(f"{listed.name}.sig")
    signature.unlink(missing_ok=True)
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-f", str(key), "-n", NAMESPACE, str(listed)], check=True
    )
    return signature


def verify(folder: Path, signers: Path, who: str) -> list[str]:
    """Return what is wrong with a release: its signature, its sums, files that no sum names."""
    listed = folder / SUMS
    call = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", who, "-n", NAMESPACE]
    with listed.open("rb") as text:
        done = subprocess.run(
            [*call, "-s", f"{listed}.sig"], stdin=text, check=False, capture_output=True, text=True
        )
    if done.returncode != 0:
        return [f"{SUMS}: {(done.stderr or done.stdout).strip()}"]
    pairs = [line.split("  ", 1) for line in listed.read_text(encoding="utf-8").splitlines()]
    sums = {name: found for found, name in pairs}
    there = {path.name for path in folder.iterdir()} - {SUMS, f"{SUMS}.sig"}
    problems = [f"{name}: missing" for name in sorted(set(sums) - there)]
    problems += [f"{name}: not in {SUMS}" for name in sorted(there - set(sums))]
    changed = [name for name in sorted(there & set(sums)) if digest(folder / name) != sums[name]]
    return problems + [f"{name}: has another sha256" for name in changed]


def release(folder: Path, key: Path | None) -> int:
    """Build, check, list and sign; prints what was written."""
    number = version()
    if run("git", "status", "--porcelain").strip() and key is not None:
        raise ValueError("the checkout has changes that are not committed; a signed release is of a commit")
    built = build(folder)
    wheels = [path for path in built if path.suffix == ".whl"]
    run(str(TOOLS / "twine"), "check", "--strict", *map(str, built))
    # W002 is a file that is there twice: a vendored licence, beside what it is of and among the licences.
    run(str(TOOLS / "check-wheel-contents"), "--ignore", "W002", *map(str, wheels))
    problems = [
        problem for path in built if path.name.endswith(".tar.gz") for problem in sdist_problems(path)
    ]
    for package, module in PACKAGES.items():
        (wheel,) = (path for path in wheels if path.name.startswith(f"{module}-"))
        problems += wheel_problems(wheel, package)
    if problems:
        print(*problems, sep="\n")
        return 1
    bills(folder, number)
    listed = write_sums(folder)
    print(listed.read_text(encoding="utf-8"), end="")
    print(f"signed: {sign(listed, key).name}" if key else "not signed")
    return 0


def main() -> int:
    """Build or verify."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build")
    how = building.add_mutually_exclusive_group(required=True)
    how.add_argument("--key", type=Path, help="a private key of OpenSSH")
    how.add_argument("--unsigned", action="store_true")
    verifying = commands.add_parser("verify")
    verifying.add_argument("folder", type=Path)
    verifying.add_argument("signers", type=Path, help="a file of allowed signers")
    verifying.add_argument("who", help="the signer, as that file names them")
    arguments = parser.parse_args()
    if arguments.command == "build":
        return release(ROOT / "dist", arguments.key)
    problems = verify(arguments.folder, arguments.signers, arguments.who)
    print(*(problems or ["the release is as it was signed"]), sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Adds a bill of materials to a wheel, and packs the wheel so that equal contents give equal bytes.

  finish_wheel.py WHEEL FOLDER

The bill of materials lies below .dist-info/sboms (PEP 770), in CycloneDX 1.6: ringlet.cdx.json, or
for the laboratory ringlet_lab.cdx.json with the libraries of its copy of ringlet. SOURCE_DATE_EPOCH
is the time in the bill and of all files, by default the first time that archives can store. With
RINGLET_WHEEL_QUICK the wheel is larger and packed in a second, for a comparison of its contents.
"""

import base64
import datetime
import hashlib
import importlib.metadata
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
import zipfile
from pathlib import Path

from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from zopfli import zlib as smallest

EPOCH = int(os.environ.get("SOURCE_DATE_EPOCH", 315532800))
VERSIONS = "from ringlet import _core; print(_core.openssl_version, _core.zstd_version)"


def component(name, version, kind, licence, **options):
    """Returns one entry of the bill. `kind` is the type of the package URL, and `name` its package.
    """
    return Component(
        name=name, version=version, licenses=[LicenseExpression(licence)],
        purl=PackageURL(kind, None, name, version), bom_ref=name, **options,
    )  # fmt: skip


def bill_of_materials(wheel, version):
    """Returns the bill of materials as JSON: Ringlet and the projects whose code is compiled into
    the wheel."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        versions = [sys.executable, "-c", VERSIONS]
        path = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        openssl, zstd = subprocess.check_output(versions, env=path, text=True).split()
    name = wheel.name.partition("-")[0]
    ringlet = component(name, version, "pypi", "Apache-2.0", type=ComponentType.LIBRARY)
    parts = [
        component("openssl", openssl, "generic", "Apache-2.0"),
        component("zstd", zstd, "generic", "BSD-3-Clause"),
        component("nanobind", importlib.metadata.version("nanobind"), "pypi", "BSD-3-Clause"),
        component("robin-map", None, "generic", "MIT"),  # part of nanobind, which names no version
    ]
    bom = Bom(components=parts, serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{name} {version}"))
    bom.metadata.component = ringlet
    bom.metadata.timestamp = datetime.datetime.fromtimestamp(EPOCH, datetime.timezone.utc)
    bom.register_dependency(ringlet, parts)
    return JsonV1Dot6(bom).output_as_string(indent=1)


def contents_of(wheel):
    """Returns name, data and mode of the wheel's files, with the new bill, RECORD last."""
    with zipfile.ZipFile(wheel) as archive:
        files = {i.filename: (archive.read(i), i.external_attr >> 16 & 0o111)
                 for i in archive.infolist() if not i.is_dir()}  # fmt: skip
    [record] = [name for name in files if name.endswith(".dist-info/RECORD")]
    del files[record]
    version = re.search(r"-([\d.]+)\.dist-info/", record)[1]
    bill = bill_of_materials(wheel, version).encode()
    place = f"sboms/{wheel.name.partition('-')[0]}.cdx.json"
    files[record.replace("RECORD", place)] = (bill, 0)
    lines = []
    for name, (data, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(data)}\n")
    return [*sorted(files.items()), (record, ("".join([*lines, f"{record},,\n"]).encode(), 0))]


class Compressor:
    """Compresses as the compressors of zipfile do. Its output is a thirtieth smaller than zlib's
    best."""

    def __init__(self):
        self._data = bytearray()

    def compress(self, data):
        self._data += data
        return b""

    def flush(self):
        # Removes the two bytes before the stream, and the checksum of four bytes after it.
        return smallest.compress(bytes(self._data), numiterations=5, blocksplittingmax=0)[2:-4]


def finish(wheel, folder):
    if "RINGLET_WHEEL_QUICK" not in os.environ:
        zipfile._get_compressor = lambda *_: Compressor()
    with zipfile.ZipFile(folder / wheel.name, "w") as archive:
        for name, (data, executable) in contents_of(wheel):
            entry = zipfile.ZipInfo(name, time.gmtime(EPOCH)[:6])
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    finish(Path(sys.argv[1]), Path(sys.argv[2]))

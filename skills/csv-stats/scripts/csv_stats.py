#!/usr/bin/env python3
"""Tool handler and command of `csv_stats`: describes every column of a CSV table."""

import argparse
import csv
import io
import json
import math
import os
import re
import statistics
import sys
from collections import Counter

MAX_BYTES = 20 * 1024 * 1024
MAX_COLUMNS = 1000
MAX_SAFE_INTEGER = 2**53 - 1
DELIMITERS = [",", ";", "\t", "|"]
SAMPLE_ROWS = 100
TOP_VALUES = 5
SHOWN_LENGTH = 80

DEFAULT_MISSING = ["na", "n/a", "nan", "null"]
BOOLEANS = {"true", "false", "yes", "no"}
INTEGER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,17})")
NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
DATE = re.compile(
    r"[0-9]{4}-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])"
    r"(?:[T ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)


class TableError(ValueError):
    """The table or an option cannot be used; the message is meant for the caller."""


def handler(args):
    if not isinstance(args, dict):
        raise TableError('Expected an object with "path" or "csv".')
    path, text = args.get("path"), args.get("csv")
    if (path is None) == (text is None):
        raise TableError('Give exactly one of "path" and "csv".')
    if path is not None:
        text = read_inside(args.get("__workDir"), path)
    elif not isinstance(text, str):
        raise TableError('"csv" must be a string.')
    elif len(text) > MAX_BYTES:
        raise TableError(f'"csv" has {len(text)} characters; at most {MAX_BYTES} are analysed.')

    header = args.get("header")
    if header is not None and not isinstance(header, bool):
        raise TableError('"header" must be true or false.')
    return describe(text, args.get("delimiter"), header is not False, args.get("missing_values"))


def read_inside(work_dir, path):
    """The text of a file below `work_dir`, symbolic links resolved; anything else is refused."""
    if not isinstance(path, str) or not path:
        raise TableError('"path" must be a non-empty string.')
    if not isinstance(work_dir, str) or not work_dir:
        raise TableError('"path" needs a working directory, and the runtime gave none; pass the text as "csv".')
    if "\0" in path or os.path.isabs(path) or os.path.splitdrive(path)[0]:
        raise TableError('"path" must be relative to the working directory.')
    root = os.path.realpath(work_dir)
    target = os.path.realpath(os.path.join(root, path))
    try:
        inside = os.path.commonpath([root, target]) == root
    except ValueError:  # On another drive.
        inside = False
    if not inside:
        raise TableError(f'"path" leaves the working directory: {path}')
    return read_text(target, path)


def read_text(file, shown):
    """Reads a regular file; a pipe or a device could block or never end."""
    if not os.path.exists(file):
        raise TableError(f"File not found: {shown}")
    if not os.path.isfile(file):
        raise TableError(f"Not a regular file: {shown}")
    try:
        with open(file, "rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise TableError(f"Cannot read {shown}: {error.strerror}") from error
    return decode(data, shown)


def decode(data, shown):
    if len(data) > MAX_BYTES:
        raise TableError(f"{shown} is larger than {MAX_BYTES} bytes.")
    utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    try:
        return data.decode("utf-16" if utf16 else "utf-8")
    except UnicodeDecodeError as error:
        name = "UTF-16" if utf16 else "UTF-8"
        raise TableError(f"{shown} is not {name} text (byte {error.start}).") from error


def describe(text, delimiter, header, missing_values):
    text = text[1:] if text.startswith("\ufeff") else text
    missing = missing_spellings(missing_values)
    if delimiter in ("\\t", "tab"):  # How a tab is spelled in a shell or in a sentence.
        delimiter = "\t"
    if delimiter is None:
        delimiter = sniff_delimiter(text)
    elif not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n \0':
        raise TableError('"delimiter" must be one character other than a quote, a space or a line break.')

    rows = read_rows(text, delimiter)
    if not rows:
        raise TableError("The table is empty.")
    width = len(rows[0]) if header else max(len(row) for row in rows)
    if width > MAX_COLUMNS:
        raise TableError(f"The table has {width} columns; at most {MAX_COLUMNS} are described.")
    warnings = []
    names = column_names(rows[0] if header else [""] * width, warnings)
    body = rows[1:] if header else rows
    warn_of_ragged_rows(body, width, warnings)

    columns = []
    for index, name in enumerate(names):
        cells = [row[index].strip() if index < len(row) else "" for row in body]
        values = [cell for cell in cells if cell and cell.lower() not in missing]
        kind, facts = describe_values(values)
        columns.append(
            {"name": name, "type": kind, "count": len(values), "missing": len(cells) - len(values), **facts}
        )
    return {"delimiter": delimiter, "header": header, "rows": len(body), "columns": columns, "warnings": warnings}


def missing_spellings(given):
    if given is None:
        given = DEFAULT_MISSING
    if not isinstance(given, list) or not all(isinstance(value, str) for value in given):
        raise TableError('"missing_values" must be a list of strings.')
    return {value.strip().lower() for value in given}


def open_reader(text, delimiter):
    return csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)


def read_rows(text, delimiter):
    reader = open_reader(text, delimiter)
    try:
        return [row for row in reader if row]
    except csv.Error as error:
        raise TableError(f"Malformed CSV at line {reader.line_num}: {error}.") from error


def sniff_delimiter(text):
    """The delimiter that cuts most of the first rows into as many fields as the first one; comma if none does."""
    best, best_score = ",", (0.0, 0)
    for candidate in DELIMITERS:
        widths = []
        try:
            for row in open_reader(text, candidate):
                if row:
                    widths.append(len(row))
                if len(widths) == SAMPLE_ROWS:
                    break
        except csv.Error:
            continue
        if widths and widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best_score:
                best, best_score = candidate, score
    return best


def column_names(cells, warnings):
    """Every column gets a name of its own, so that an answer can refer to it."""
    names, taken = [], set()
    for position, cell in enumerate(cells, start=1):
        wanted = shorten(cell.strip()) or f"column_{position}"
        name, suffix = wanted, 2
        while name in taken:
            name, suffix = f"{wanted}_{suffix}", suffix + 1
        if name != wanted:
            warnings.append(f"Column {position} repeats the name {wanted!r} and is called {name!r}.")
        names.append(name)
        taken.add(name)
    return names


def warn_of_ragged_rows(body, width, warnings):
    short = sum(len(row) < width for row in body)
    long = sum(len(row) > width for row in body)
    if short:
        warnings.append(f"{short} row(s) have fewer than {width} fields; the rest count as missing.")
    if long:
        warnings.append(f"{long} row(s) have more than {width} fields; the extra fields are ignored.")


def describe_values(values):
    if not values:
        return "empty", {"distinct": 0}
    numbers = [parse_number(value) for value in values]
    if None not in numbers:
        kind = "integer" if all(isinstance(number, int) for number in numbers) else "number"
        return kind, {"distinct": len(set(numbers)), **describe_numbers(numbers)}
    distinct = Counter(values)
    if all(value.lower() in BOOLEANS for value in distinct):
        kind, facts = "boolean", {}
    elif all(is_date(value) for value in distinct):
        kind, facts = "date", {"min": min(distinct), "max": max(distinct)}
    else:
        lengths = [len(value) for value in distinct]
        kind = "text"
        facts = {
            "numeric_count": sum(number is not None for number in numbers),
            "min_length": min(lengths),
            "max_length": max(lengths),
        }
    top = sorted(distinct.items(), key=lambda entry: (-entry[1], entry[0]))[:TOP_VALUES]
    facts["top_values"] = [{"value": shorten(value), "count": count} for value, count in top]
    return kind, {"distinct": len(distinct), **facts}


def parse_number(value):
    """An int, a finite float, or None for anything that a calculation should not touch."""
    if INTEGER.fullmatch(value):
        number = int(value)
        return number if abs(number) <= MAX_SAFE_INTEGER else None
    if not NUMBER.fullmatch(value) or value.strip("+-").isdigit():
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def describe_numbers(numbers):
    return {
        "mean": rounded(statistics.mean, numbers),
        "median": rounded(statistics.median, numbers),
        "stdev": rounded(statistics.stdev, numbers) if len(numbers) > 1 else None,
        "min": min(numbers),
        "max": max(numbers),
    }


def rounded(measure, numbers):
    """Twelve significant digits, which hides binary noise; None where a float cannot hold the result."""
    try:
        result = float(measure(numbers))
    except OverflowError:
        return None
    return float(f"{result:.12g}") if math.isfinite(result) else None


def is_date(value):
    match = DATE.fullmatch(value)
    if not match:
        return False
    year, month, day = int(value[:4]), int(match["month"]), int(match["day"])
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]


def shorten(value):
    return value if len(value) <= SHOWN_LENGTH else value[: SHOWN_LENGTH - 1] + "\u2026"


def to_table(result):
    head = ["column", "type", "count", "missing", "distinct", "mean", "median", "stdev", "min", "max"]
    lines = [head]
    for column in result["columns"]:
        cells = [column["name"], *(column.get(key) for key in head[1:])]
        lines.append(["" if cell is None else printable(cell) for cell in cells])
    widths = [max(len(line[index]) for line in lines) for index in range(len(head))]
    body = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    title = f"{result['rows']} rows, {len(result['columns'])} columns, delimiter {result['delimiter']!r}"
    return "\n".join([title, "", *body, *(f"warning: {printable(text)}" for text in result["warnings"])])


def printable(value):
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in str(value))


def run_command(argv):
    parser = argparse.ArgumentParser(prog="csv_stats.py", description="Describe every column of a CSV table.")
    parser.add_argument("file", help='CSV file, or "-" for standard input')
    parser.add_argument("--delimiter", help="character between fields; found out when left out")
    parser.add_argument("--no-header", action="store_true", help="the first row is data")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(argv)
    if options.file == "-":
        text = decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    else:
        text = read_text(options.file, options.file)
    result = describe(text, options.delimiter, not options.no_header, None)
    if options.json:
        print(json.dumps(result, indent=2))
    else:
        sys.stdout.buffer.write((to_table(result) + "\n").encode("utf-8", "replace"))


def run_tool(source):
    if not source.strip():
        raise TableError("Name a CSV file, or pass a JSON object with the tool's arguments; --help says more.")
    try:
        args = json.loads(source)
    except json.JSONDecodeError as error:
        raise TableError(f"The input is not JSON: {error}") from error
    print(json.dumps(handler(args)))


def main(argv):
    """A runtime hands over one JSON object as the only argument or on stdin; a person names a file."""
    if not argv and not sys.stdin.isatty():
        run_tool(sys.stdin.buffer.read().decode("utf-8"))
    elif len(argv) == 1 and argv[0].lstrip().startswith("{"):
        run_tool(argv[0])
    else:
        run_command(argv)


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:  # The reader, `head` for instance, has seen enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except ValueError as error:
        sys.exit(f"csv_stats.py: {error}")

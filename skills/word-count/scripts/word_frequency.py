#!/usr/bin/env python3
"""Tool handler of `word_frequency`: the most frequent words of a text."""

import json
import re
import sys
import unicodedata
from collections import Counter

MAX_LENGTH = 5_000_000

STOP_WORDS = frozenset(
    """
    a about after again all also am an and any are aren't as at be because been before being below between both but by
    can can't cannot could couldn't did didn't do does doesn't doing don't down during each few for from further had
    hadn't has hasn't have haven't having he her here hers herself him himself his how i i'd i'll i'm i've if in into is
    isn't it it's its itself just let's may me might more most must my myself no nor not of off on once only or other
    our ours ourselves out over own same shall she should shouldn't so some such than that that's the their theirs them
    themselves then there there's these they they'd they'll they're they've this those through to too under until up
    upon us very was wasn't we we'd we'll we're we've were weren't what when where which while who whom whose why will
    with won't would wouldn't you you'd you'll you're you've your yours yourself yourselves
    """.split()
)


def handler(args):
    if not isinstance(args, dict):
        raise ValueError('Expected an object with a "text" string.')
    text = args.get("text")
    if not isinstance(text, str):
        raise ValueError('"text" must be a string.')
    if len(text) > MAX_LENGTH:
        raise ValueError(f'"text" has {len(text)} characters; at most {MAX_LENGTH} are analysed at once.')
    limit = whole_number(args, "limit", default=20, lowest=1, highest=1000)
    min_length = whole_number(args, "min_length", default=1, lowest=1, highest=100)
    excluded = stop_words(args)

    words = split_words(text)
    counted = Counter(word for word in words if len(word) >= min_length and word not in excluded)
    ranking = sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))
    return {
        "total_words": len(words),
        "counted_words": sum(counted.values()),
        "distinct_words": len(counted),
        "words": [
            {"word": word, "count": count, "share": round(count / len(words), 4)}
            for word, count in ranking[:limit]
        ],
    }


def split_words(text):
    """Lower-case words: letters, digits and marks, joined inside by apostrophes or zero-width joiners."""
    text = normalise(text)
    # `re` does not count combining marks as part of a word, which would cut Hindi or Arabic words apart.
    marks = "".join(sorted(mark for mark in set(text) if unicodedata.category(mark).startswith("M")))
    unit = r"(?:[^\W_]|[" + re.escape(marks) + "])" if marks else r"[^\W_]"
    return re.findall(unit + r"+(?:['\u200c\u200d]+" + unit + "+)*", text)


def normalise(text):
    return unicodedata.normalize("NFC", text).lower().replace("\u2019", "'")


def stop_words(args):
    remove = args.get("remove_stop_words")
    if remove is not None and not isinstance(remove, bool):
        raise ValueError('"remove_stop_words" must be true or false.')
    extra = args.get("stop_words")
    if extra is None:
        extra = []
    if not isinstance(extra, list) or not all(isinstance(word, str) for word in extra):
        raise ValueError('"stop_words" must be a list of strings.')
    chosen = {normalise(word).strip() for word in extra}
    return chosen | STOP_WORDS if remove else chosen


def whole_number(args, name, default, lowest, highest):
    value = args.get(name)
    if value is None:
        return default
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
        raise ValueError(f'"{name}" must be a whole number from {lowest} to {highest}.')
    return value


if __name__ == "__main__":
    try:
        source = sys.argv[1] if len(sys.argv) > 1 else sys.stdin.buffer.read().decode("utf-8")
        print(json.dumps(handler(json.loads(source))))
    except json.JSONDecodeError as error:
        sys.exit(f"word_frequency.py: the input is not JSON: {error}")
    except ValueError as error:
        sys.exit(f"word_frequency.py: {error}")

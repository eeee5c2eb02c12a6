#!/bin/sh
# Prints today's date, weekday, ISO week and day of the year, using nothing but POSIX date.
set -eu

usage='Usage: today.sh [--utc]'
case "${1-}" in
  '') utc='' ;;
  --utc) utc='-u' ;;
  --help) echo "$usage"; exit 0 ;;
  *) echo "today.sh: unknown argument: $1" >&2; echo "$usage" >&2; exit 2 ;;
esac
if [ "$#" -gt 1 ]; then
  echo "$usage" >&2
  exit 2
fi

# One call, so that midnight cannot fall between two values; the C locale gives English weekday names.
LC_ALL=C
export LC_ALL
# shellcheck disable=SC2086
now=$(date $utc '+%Y %m %d %A %V %j')
# shellcheck disable=SC2086
set -- $now
year=$1 month=$2 day=$3 weekday=$4 week=$5 day_of_year=$6
day_of_year=${day_of_year#0}
day_of_year=${day_of_year#0}

# The first days of January may belong to the last week of the year before, the last of December to week 1 of the next.
week_year=$year
if [ "$month" = 01 ] && [ "$week" -ge 52 ]; then
  week_year=$((year - 1))
elif [ "$month" = 12 ] && [ "$week" = 01 ]; then
  week_year=$((year + 1))
fi

echo "date: $year-$month-$day"
echo "weekday: $weekday"
echo "week: $week_year-W$week"
echo "day of year: $day_of_year"

"""`grader push`: a lesson's marks over the REST interface of Canvas or Moodle. Nothing is sent but
marks that the platform has otherwise, with one request for each, so the same command resumes a push
that was interrupted. docs/gradebooks.md names the requests and their sources.

The instructor's token goes into a header or into the body of a request, never into an address, and
to no host but the platform's. No message has it, even if the platform repeats it.
"""

import json
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from ..cuda.errors import visible
from ..errors import GO_ON, unless
from ..grouped import grouped
from ..learner import sending
from . import ClassroomError, platforms, roster
from .export import LearnerLine, LessonColumn, MarksTable

VARIABLE = "WARPWISE_TOKEN"  # of the environment
# Of requests whose rate is limited; seconds between them, if none are named, and at most.
TRIES, PAUSE, LONGEST = 10, 5.0, 60.0
MOST_PAGES = 1000  # of one list; Canvas has at least ten rows on a page
_MESSAGE = re.compile(r'"message"\s*:\s*("(?:[^"\\]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+")')

# By column of a roster, what the platform's people have there.
_FIELDS = {
    "canvas": {"ID": "id", "SIS User ID": "sis_user_id", "SIS Login ID": "login_id"},
    "moodle": {"Username": "username", "ID number": "idnumber", "Email address": "email"},
}
_CANVAS_LISTS = {
    "assignments": "assignments?per_page=100",
    "people": "users?enrollment_type[]=student&per_page=100",
    "marks": "assignments/{}/submissions?per_page=100",
}
# A function, the name of its argument, and where in its answer the rows are.
_MOODLE_LISTS = {
    "assignments": ("mod_assign_get_assignments", "courseids[0]", "courses", "assignments"),
    "people": ("core_enrol_get_enrolled_users", "courseid", "", ""),
    "marks": ("mod_assign_get_grades", "assignmentids[0]", "assignments", "grades"),
}

# A learner's line, the platform's number of the learner, the points there, and those here.
Differing = tuple[LearnerLine, str, float | None, float]


class MarkRefused(ClassroomError):
    """The platform refuses a request; it may take the next one."""


@contextmanager
def _documented() -> Iterator[None]:
    """Have an answer that is not as the platform's documentation says end the push."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ClassroomError(
            "The platform's answer is not as its documentation says "
            f"({type(error).__name__}). See if --to and --url are right."
        ) from error


# --- the platforms --------------------------------------------------------------------------------


@dataclass
class RemoteCourse:
    """A course on a platform, and the requests to it."""

    system: str
    course: str  # the platform's name for it, often a number
    token: str = field(repr=False)
    tell: Callable[[str], None]  # says why it takes so long
    client: httpx.Client = field(repr=False)

    def ask(self, method: str, path: str, form: dict[str, Any] | None = None) -> httpx.Response:
        """The answer to a request, which is repeated while the platform limits their rate."""
        base = self.client.base_url
        for _ in range(TRIES):
            try:
                # Wherever a link of the platform's leads, nothing but its own address is asked.
                answer = self.client.request(method, f"{base}{path}", data=form)
            except (httpx.HTTPError, httpx.InvalidURL) as error:
                raise ClassroomError(
                    f"{base.host} could not be reached ({type(error).__name__}). {GO_ON}"
                ) from None
            # Canvas forbids a request when nothing remains; others answer 429.
            answer.encoding = "utf-8"  # which JSON is, whatever a header calls it
            left = answer.headers.get("X-Rate-Limit-Remaining", "") + answer.text.casefold()
            is_spent = answer.status_code == 403 and re.search("^[0-]|rate limit", left)
            if answer.status_code != 429 and not is_spent:
                return self._checked(answer)
            after = re.fullmatch("[0-9]+", answer.headers.get("Retry-After", ""))
            pause = min(float(after[0]), LONGEST) if after else PAUSE
            self.tell(f"{base.host} limits the rate of requests; the next one is in {pause:g} s")
            time.sleep(pause)
        raise ClassroomError(f"{base.host} limits the rate of requests for too long. {GO_ON}")

    def _checked(self, answer: httpx.Response) -> httpx.Response:
        """The answer, if it is the JSON of no error. MarkRefused if it is about this request, and
        ClassroomError if every other one would get it as well."""
        with suppress(ValueError, RecursionError):
            content = answer.json()
            # Moodle's errors have the status 200, too.
            if answer.is_success and not (isinstance(content, dict) and "exception" in content):
                return answer
        found = _MESSAGE.search(answer.text)
        said = json.loads(found[1], strict=False) if found else "no JSON. See if --url is right."
        for_all = not found or answer.status_code >= 500 or answer.status_code == 401
        kind = ClassroomError if for_all or '"invalidtoken"' in answer.text else MarkRefused
        raise kind(
            f"{self.client.base_url.host} answers {answer.status_code}"
            f"{f'. {GO_ON}' if answer.status_code >= 500 else f': {self.told(said)}'}"
        )

    def told(self, text: str) -> str:
        """A text of the platform's as it can stand in a sentence."""
        return visible(" ".join(text.replace(self.token, "(token)").split()))[:200]


class CanvasCourse(RemoteCourse):
    """The requests to Canvas."""

    def rows(self, what: str, assignment: str = "") -> Iterable[dict[str, Any]]:
        """All pages of a list."""
        path = f"api/v1/courses/{self.course}/{_CANVAS_LISTS[what].format(assignment)}"
        for _ in range(MOST_PAGES):
            answer = self.ask("GET", path)
            yield from answer.json()
            path = (
                answer.links.get("next", {}).get("url", "").removeprefix(str(self.client.base_url))
            )
            if not path:
                return
        raise ClassroomError(f"{self.system} has more than {MOST_PAGES} pages of {what}.")

    def save(self, assignment: str, user: str, points: str) -> None:
        self.ask(
            "PUT",
            f"api/v1/courses/{self.course}/assignments/{assignment}/submissions/{user}",
            {"submission[posted_grade]": points},
        )


class MoodleCourse(RemoteCourse):
    """The requests to Moodle."""

    @_documented()
    def _call(self, function: str, arguments: dict[str, object]) -> Any:
        """The result of a function of the web service."""
        found = self.ask(
            "POST",
            "webservice/rest/server.php",
            {
                "wstoken": self.token,
                "wsfunction": function,
                "moodlewsrestformat": "json",
                **arguments,
            },
        ).json()
        for each in found.get("warnings", ()) if isinstance(found, dict) else ():
            unless(
                # 3: nobody has a mark yet. An activity that the instructor cannot see is no lesson.
                str(each["warningcode"]) == "3" or each.get("item") == "module",
                ClassroomError(f"Moodle warns: {self.told(each['message'])}"),
            )
        return found

    def rows(self, what: str, assignment: str = "") -> Iterable[dict[str, Any]]:
        """A list."""
        function, argument, outer, inner = _MOODLE_LISTS[what]
        found = self._call(function, {argument: assignment or self.course})
        return [row for each in found[outer] for row in each[inner]] if outer else found

    def save(self, assignment: str, user: str, points: str) -> None:
        self._call(
            "mod_assign_save_grades",
            {
                "assignmentid": assignment,
                "applytoall": 0,
                "grades[0][userid]": user,
                "grades[0][grade]": points,
                "grades[0][attemptnumber]": -1,  # the last one
                "grades[0][addattempt]": 0,
                "grades[0][workflowstate]": "released",
            },
        )


def opened(
    system: str, url: str, course: str, token_file: Path | None, tell: Callable[[str], None]
) -> CanvasCourse | MoodleCourse:
    """The course on a platform. ClassroomError where the address or the token cannot be."""
    base = sending.checked_address(url, "--url")
    kept = sending.private_text(token_file) if token_file else os.environ.get(VARIABLE, "")
    unless(
        re.fullmatch("[!-~]+", token := kept.strip()),
        ClassroomError(
            f"{token_file or VARIABLE} has no token, which is one word. --token-file FILE names a "
            f"file that has one; else it is {VARIABLE} of the environment."
        ),
    )
    client = httpx.Client(base_url=base, timeout=30.0)
    if system == "moodle":
        return MoodleCourse(system, course, token, tell, client)
    client.headers["Authorization"] = f"Bearer {token}"
    return CanvasCourse(system, course, token, tell, client)


# --- what is to be sent ---------------------------------------------------------------------------


@_documented()
def find_assignment(
    there: CanvasCourse | MoodleCourse,
    column: LessonColumn,
    titles: Mapping[str, str],
    wanted: str | None,
) -> dict[str, Any]:
    """The assignment whose name or number is `wanted`, else the one that course.toml has as the
    lesson's column, else the one that `grader roster` would take for it; its points as "most".
    `titles` are those of all lessons, by name. ClassroomError unless it is just one."""
    offered = {f"{each['name']} ({each['id']})": each for each in there.rows("assignments")}
    names = {wanted} if wanted else {*column.headings.get(there.system, ())}
    found = [
        name for name, each in offered.items() if names & {name, str(each["id"]), each["name"]}
    ] or [*(() if wanted else roster.matches(titles, offered)[column.lesson])]
    unless(
        len(found) == 1,
        ClassroomError(
            f"{'Several assignments' if found else 'No assignment'} of course {there.course} could "
            f"be {wanted or column.lesson}. Choose one by its number, with --assignment: "
            f"{', '.join(found or offered) or 'there is none'}."
        ),
    )
    chosen = offered[found[0]]
    most = float(chosen.get("points_possible", chosen.get("grade")) or 0)
    unless(most >= 0, ClassroomError(f"{there.told(found[0])} has a scale, and no points."))
    return {**chosen, "name": there.told(chosen["name"]), "most": most}


@_documented()
def plan(
    there: CanvasCourse | MoodleCourse, table: MarksTable, assignment: str
) -> tuple[list[Differing], list[str]]:
    """The marks of the table's one lesson that the platform has otherwise, and a sentence for each
    one that it cannot get."""
    lesson, marks, problems = table.columns[0].lesson, list[Differing](), list[str]()
    users = grouped(
        ((column, str(each[name]).casefold()), str(each["id"]))
        for each in there.rows("people")
        for column, name in _FIELDS[there.system].items()
        if each.get(name)
    )
    now = {
        str(each.get("user_id") or each["userid"]): each for each in there.rows("marks", assignment)
    }
    meant = [  # by those without a mark, too: a person is one learner
        {
            user
            for column, value in platforms.row_of(line, there.system).items()
            for user in users.get((column, value.casefold()), ())
        }
        for line in table.lines
    ]
    pairs = zip(table.lines, meant, strict=True)
    for line, mine in (pair for pair in pairs if lesson in pair[0].scores):
        row = now.get(user := min(mine, default=""), {})
        # Canvas's before its own lateness, or else Moodle's, which is below 0 where there is none.
        has = row.get("entered_score", row.get("score", row.get("grade")))
        before = None if has is None or float(has) < 0 else round(float(has), 4)
        if len(mine) != 1 or sum(user in each for each in meant) > 1 or row.get("excused"):
            why = "is excused in" if row.get("excused") else "could be several people of"
            problems.append(
                f"{line.learner} {why if mine else 'is not in'} course {there.course} of "
                f"{there.system}: no mark is sent."
            )
        elif before != line.scores[lesson]:
            marks.append((line, user, before, line.scores[lesson]))
    return marks, problems

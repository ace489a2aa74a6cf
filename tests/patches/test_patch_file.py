"""Is a patch read as what it is, and anything else refused?"""

from __future__ import annotations

import pytest

from patches.proof.patch_file import PatchWrong, TouchedFile, touched_files

PATCH = """\
diff --git a/one.h b/one.h
index 1111111..2222222 100644
--- a/one.h
+++ b/one.h
@@ -1,3 +1,4 @@ struct One {
 int a;
-int b;
+int b = 1;
+int c;
 int d;
@@ -9 +10 @@
-int e;
+int f;
diff --git a/new.h b/new.h
new file mode 100644
index 0000000..3333333
--- /dev/null
+++ b/new.h
@@ -0,0 +1,2 @@
+--- not a header
+diff --git a/fake b/fake
\\ No newline at end of file
"""


def test_every_file_is_told_with_its_lines() -> None:
    """Also lines of a hunk that look like headers are lines of the hunk."""
    assert touched_files(PATCH) == (
        TouchedFile("one.h", is_new=False, hunks=2, added=3, removed=2),
        TouchedFile("new.h", is_new=True, hunks=1, added=2, removed=0),
    )


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no line begins"),
        ("diff --git a/x b/y\n--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", "does not name one file"),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", "changes its mode"),
        ("diff --git a/x b/x\ndeleted file mode 100644\n", "is deleted"),
        ("diff --git a/x b/x\n", "has no hunk"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a", "is cut off"),
        ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nzap\n", "a line 'zap'"),
    ],
)
def test_what_is_no_such_patch_is_refused(text: str, told: str) -> None:
    """A rename, a deletion, a torn file."""
    with pytest.raises(PatchWrong, match=told):
        touched_files(text)

import KettleModel
import KettleScheduler
import Testing

@Suite struct ContentDispositionTests {
  @Test(arguments: [
    // Plain
    ("attachment; filename=foo.html", "foo.html"),
    ("attachment; filename=\"foo.html\"", "foo.html"),
    ("ATTACHMENT; FILENAME=\"foo.html\"", "foo.html"),
    ("inline; filename=\"foo.html\"", "foo.html"),
    ("attachment;filename=foo.html", "foo.html"),
    ("attachment; filename = \"foo.html\"", "foo.html"),
    ("attachment; filename=\"foo.html\";", "foo.html"),
    ("attachment; filename=foo.html ;", "foo.html"),
    ("attachment; size=5; filename=foo.html; x=y", "foo.html"),
    // Without a type
    ("filename=foo.html", "foo.html"), ("filename=\"foo.html\"", "foo.html"),
    ("=foo; filename=bar.html", "bar.html"), ("; filename=bar.html", "bar.html"),
    // Quoting
    ("attachment; filename=\"f\\oo.html\"", "foo.html"),
    ("attachment; filename=\"\\\"quoting\\\" it.html\"", "_quoting_ it.html"),
    ("attachment; filename=\"a;b.html\"", "a;b.html"),
    ("attachment; x=\"filename=evil\"; filename=good", "good"),
    ("attachment; x=\"\\\"; filename=evil\"; filename=good", "good"),
    ("attachment; filename='foo.html'", "'foo.html'"),
    ("attachment; filename=foo bar.html", "foo bar.html"),
    ("attachment; filename=\"unfinished.html", "unfinished.html"),
    ("attachment; filename=\"foo\" bar.html", "foo"),
    // Repeated parameters
    ("attachment; filename=\"a.html\"; filename=\"b.html\"", "a.html"),
    // Unchanged: RFC 6266 decodes neither percent signs nor encoded words here
    ("attachment; filename=\"foo-%41.html\"", "foo-%41.html"),
    ("attachment; filename=\"=?ISO-8859-1?Q?foo-=E4.html?=\"", "=_ISO-8859-1_Q_foo-=E4.html_="),
    ("attachment; filename=\"foo-ä.html\"", "foo-ä.html"),
    // filename*
    ("attachment; filename*=UTF-8''foo-%c3%a4-%e2%82%ac.html", "foo-ä-€.html"),
    ("attachment; filename*=utf-8'en'a%20b.html", "a b.html"),
    ("attachment; filename*=ISO-8859-1''foo-%E4.html", "foo-ä.html"),
    ("attachment; filename=\"a.html\"; filename*=UTF-8''b.html", "b.html"),
    ("attachment; filename*=UTF-8''b.html; filename=\"a.html\"", "b.html"),
    ("attachment; filename* = UTF-8''b.html", "b.html"),
    ("attachment; filename*=\"UTF-8''b%20c.html\"", "b c.html"),
    ("attachment; filename*=UTF-8''a'b.html", "a'b.html"),
    // Wrong character sets
    ("attachment; filename*=UTF-8''foo-%E4.html", "foo-ä.html"),
    ("attachment; filename*=ISO-8859-1''foo-%c3%a4.html", "foo-ä.html"),
    // An invalid filename* falls back to filename
    ("attachment; filename*=UTF-8''foo%; filename=a.html", "a.html"),
    ("attachment; filename*=UTF-8''foo%zz; filename=a.html", "a.html"),
    ("attachment; filename*=UTF-16''foo; filename=a.html", "a.html"),
    ("attachment; filename*=foo.html; filename=a.html", "a.html"),
    ("attachment; filename*=UTF-8'foo.html; filename=a.html", "a.html"),
    ("attachment; filename*=UTF-8''..; filename=a.html", "a.html"),
    ("attachment; filename*=''; filename=a.html", "a.html"),
    // Attacks
    ("attachment; filename=\"../../../etc/passwd\"", "passwd"),
    ("attachment; filename=\"..\\\\..\\\\boot.ini\"", "boot.ini"),
    ("attachment; filename=\"C:\\\\x\\\\y.exe\"", "y.exe"),
    ("attachment; filename*=UTF-8''..%2f..%2f.bashrc", "_bashrc"),
    ("attachment; filename*=UTF-8''%00%1b[2Jx", "__[2Jx"),
    ("attachment; filename*=UTF-8''%e2%80%ae%67np.exe", "_gnp.exe"),
    ("attachment; filename=-rf", "_rf"),
  ])
  func `a header names the file`(_ header: String, _ expected: String) {
    #expect(FileName.fromContentDisposition(header) == expected)
  }

  @Test(arguments: [
    "", ";", "=", "\"", "attachment", "inline", "attachment; filename", "attachment; filename=",
    "attachment; filename=\"\"", "attachment; filename=\"..\"", "attachment; filename=\"/\"",
    "attachment; filename*=UTF-8''", "attachment; filename*=UTF-8''%2e%2e",
    "attachment; filename*0=\"foo.\"; filename*1=\"html\"", "attachment; xfilename=foo",
    "attachment; name=foo", "attachment; filename=;", "attachment; filename=\"x\\",
    "attachment, filename=x",
  ])
  func `a header without a usable name gives none`(_ header: String) {
    #expect(FileName.fromContentDisposition(header) == nil)
  }

  @Test func `a header of a megabyte is parsed up to a limit`() {
    let header = "attachment; x=" + String(repeating: "y", count: 1_000_000) + "; filename=late"
    #expect(FileName.fromContentDisposition(header) == nil)
    #expect(
      FileName.fromContentDisposition(String(repeating: ";", count: 8000) + "filename=x") == "x")
  }
}

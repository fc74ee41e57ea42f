import KettleModel
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
    // Escapes, as browsers read them, although RFC 6266 has none here
    ("attachment; filename=\"foo-%41.html\"", "foo-A.html"),
    ("attachment; filename=%E4%B8%AD%E6%96%87.txt", "中文.txt"),
    ("attachment; filename=\"a%20b%2Bc.txt\"", "a b+c.txt"),
    ("attachment; filename=%e4.txt", "%e4.txt"), ("attachment; filename=\"100%.txt\"", "100%.txt"),
    ("attachment; filename=\"50%off%20.txt\"", "50%off%20.txt"),
    ("attachment; filename=ä%20.txt", "ä%20.txt"),
    ("attachment; filename=\"%2e%2e%2f%2ebashrc\"", "_bashrc"),
    ("attachment; filename=\"x%00%1b[2J\"", "x__[2J"),
    // Encoded words
    ("attachment; filename=\"=?UTF-8?B?5Lit5paHLnR4dA==?=\"", "中文.txt"),
    ("attachment; filename=\"=?utf-8?Q?a_b-=C3=A4?= =?utf-8?q?%41.txt?=\"", "a b-ä%41.txt"),
    ("attachment; filename=\"=?UTF-8?B?*?=\"", "=_UTF-8_B___="),
    // Pieces
    ("attachment; filename*0=\"foo.\"; filename*1=\"html\"", "foo.html"),
    ("attachment; filename*1=b.txt; filename*0=a", "ab.txt"),
    ("attachment; filename*0*=UTF-8''%e4%b8; filename*1*=%ad; filename*2=\"%41.txt\"", "中%41.txt"),
    ("attachment; filename*0=x; filename*1*=%41", "x"),
    ("attachment; filename*0=x; filename=y", "y"),
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
    "attachment; filename*1=\"foo.html\"", "attachment; xfilename=foo",
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

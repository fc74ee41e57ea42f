import Testing

struct PictureRuleTests {
  private let caption = PictureRule.Caption(
    text: "Two downloads: disk.iso is running, notes.pdf \"needs a login\"",
    picturePath: "docs/pictures/list.svg", line: 3)

  @Test func `a caption is parsed with its file names and quoted texts`() {
    let document = SourceText(
      path: "README.md",
      text:
        "# Title\n\nSee ![\(caption.text.replacing(": ", with: ":\n"))](docs/pictures/list.svg) and ![Plot](growth-1.svg)\n"
    )
    #expect(PictureRule.captions(in: document) == [caption])
    #expect(caption.promises == ["needs a login", "disk.iso", "notes.pdf"])
  }

  @Test func `a picture that matches its caption is accepted`() {
    let picture = Self.picture("  disk.iso  12 MiB/s", "notes.pdf", "needs a login")
    #expect(PictureRule.findings(caption, picture: picture, in: "README.md").isEmpty)
  }

  @Test func `text outside the text elements does not count`() {
    let picture = "<svg><title>disk.iso notes.pdf needs a login</title></svg>"
    #expect(PictureRule.findings(caption, picture: picture, in: "README.md").count == 3)
  }

  @Test(arguments: [
    (nil, "docs/pictures/list.svg is not there"),
    ("no picture", "docs/pictures/list.svg is not well-formed XML"),
    (
      picture("notes.pdf", "needs a login"),
      "docs/pictures/list.svg does not show \"disk.iso\""
    ),
    (
      picture("disk.iso", "notes.pdf", "needs a login", "0 B/s"),
      "docs/pictures/list.svg shows a stalled transfer: \"0 B/s\""
    ),
  ])
  func `a picture that does not match its caption is found`(picture: String?, why: String) {
    let findings = PictureRule.findings(caption, picture: picture, in: "README.md")
    #expect(findings.map(\.why) == [why])
  }

  @Test func `a later frame may show a transfer that just started`() {
    let later = "<g visibility=\"hidden\"><text>0 B/s</text></g>"
    let picture = Self.picture("disk.iso", "notes.pdf", "needs a login")
      .replacing("</svg>", with: later + "</svg>")
    #expect(PictureRule.findings(caption, picture: picture, in: "README.md").isEmpty)
  }

  @Test(arguments: [
    (picture("disk.iso"), "pictures/list.svg", []),
    (picture("disk.iso"), "pictures/other.svg", ["no document shows it"]),
    (picture(" "), "pictures/list.svg", ["shows no text"]),
    (
      "<svg><g visibility=\"hidden\"><text>disk.iso</text></g></svg>", "pictures/list.svg",
      ["shows no text"]
    ),
    ("<svg><text>disk.iso</svg>", "pictures/list.svg", ["is not well-formed XML"]),
  ])
  func `a picture is shown in a document and has text`(
    picture: String, shown: String, why: [String]
  ) {
    let findings = PictureRule.findings(
      in: SourceText(path: "docs/pictures/list.svg", text: picture),
      shownIn: [SourceText(path: "docs/list.md", text: "# List\n\n![The list](\(shown))\n")])
    #expect(findings.map(\.why) == why)
  }

  private static func picture(_ texts: String...) -> String {
    "<svg>" + texts.map { "<text>\($0)</text>" }.joined() + "</svg>"
  }
}

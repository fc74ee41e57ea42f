import Testing

struct MovingPictureRuleTests {
  private static let picture: String = {
    let times = (0..<10).map { $0 * 10 }
    let rules = times.map { time in
      time == 0
        ? "@keyframes a{0%{visibility:visible}10%{visibility:hidden}}"
        : "@keyframes \(name(time)){0%{visibility:hidden}\(time)%{visibility:visible}}"
    }
    let groups = times.map { time in
      time == 0
        ? "<g class=\"a\">\n<text>disk.iso</text>\n</g>"
        : "<g class=\"\(name(time))\" visibility=\"hidden\">\n<text>\(time) %</text>\n</g>"
    }
    return """
      <svg>
      <style>
      @media (prefers-reduced-motion: no-preference) {
      g{animation:5s step-end infinite}
      }
      \(rules.joined(separator: "\n"))
      </style>
      \(groups.joined(separator: "\n"))
      </svg>
      """
  }()

  private static func name(_ time: Int) -> String {
    String(repeating: "b", count: time / 10)
  }

  private func whys(_ picture: String) -> [String] {
    MovingPictureRule.findings(in: SourceText(path: "docs/pictures/scene.svg", text: picture))
      .map(\.why)
  }

  @Test func `a picture that moves is accepted`() {
    #expect(whys(Self.picture) == [])
    #expect(MovingPictureRule.moves(SourceText(path: "scene.svg", text: Self.picture)))
    #expect(!MovingPictureRule.moves(SourceText(path: "still.svg", text: "<svg></svg>")))
  }

  @Test(arguments: [
    (
      "<g class=\"a\">", "<g class=\"a\" visibility=\"hidden\">",
      "the group a differs from the first frame without animation"
    ),
    (
      "<g class=\"bb\" visibility=\"hidden\">", "<g class=\"bb\">",
      "the group bb differs from the first frame without animation"
    ),
    ("<svg>", "<svg>\n<g class=\"x\">\n</g>", "the group x does not move"),
    (
      "<style>", "<style>\n@keyframes y{0%{visibility:visible}}", "nothing moves as y"
    ),
    (
      "prefers-reduced-motion", "prefers-contrast",
      "moves even if the reader prefers reduced motion"
    ),
    ("</svg>", "<image href=\"a.png\"/></svg>", "contains \"href\""),
    ("90%{", "80%{", "has fewer than ten frames"),
  ])
  func `a picture that would not move well is found`(part: String, other: String, why: String) {
    #expect(whys(Self.picture.replacing(part, with: other)) == [why])
  }
}

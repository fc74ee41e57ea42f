import Foundation
import Testing

/// The script of a day's work, which `make day` also runs.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealDayTests {
  private let home: KettleHome
  private let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  init() throws { home = try KettleHome() }

  @Test func `each step of the day shows the expected screen and saves it`() async throws {
    let out = home.path + "/day"
    let played = try await home.run(
      root + "/assets/day/day.sh", KettleHome.program, out)
    #expect(played.code == 0, "\(played.errors)\n\(played.output)")
    let names = try FileManager.default.contentsOfDirectory(atPath: out).sorted()
    #expect(names.contains("03-running.screen"))
    let picture = try await draw("picture.awk", out + "/03-running.screen")
    #expect(picture.code == 0, "\(picture.errors)")
    #expect(picture.output.contains("networking-on-linux"))
  }

  @Test func `a picture reproduces the colors, bars and columns of its screen`() async throws {
    let screen = home.path + "/screen"
    let text =
      "\u{1B}[1mB\u{1B}[0m \u{1B}[38;5;114m日本<&>\u{1B}[39m x y  z\n"
      + "\u{1B}[7m  ██▌\u{1B}[0m▂ e\u{301}\n\n"
    try text.write(toFile: screen, atomically: true, encoding: .utf8)
    let picture = try await draw("picture.awk", screen)
    let shapes = picture.output.split(separator: "\n").dropFirst()
    #expect(shapes.elementsEqual(Self.shapes.split(separator: "\n")), "\(picture.output)")
    #expect(picture.errors.isEmpty)
  }

  private static let shapes = """
    <title>A &amp; B</title>
    <rect width="100%" height="100%" rx="8" fill="#16181d" stroke="#16181d" \
    stroke-width="2" shape-rendering="auto"/>
    <rect x="14" y="32" width="42" height="18" fill="#d5d8de"/>
    <rect x="30.8" y="34" width="21" height="14" fill="#16181d"/>
    <rect x="56" y="44.5" width="8.4" height="3.5" fill="#d5d8de"/>
    <text x="14" y="27.5" textLength="8.4" font-weight="bold">B</text>
    <text x="30.8" y="27.5" textLength="16.8" lengthAdjust="spacingAndGlyphs" \
    fill="#87d787">日</text>
    <text x="47.6" y="27.5" textLength="16.8" lengthAdjust="spacingAndGlyphs" \
    fill="#87d787">本</text>
    <text x="64.4" y="27.5" textLength="25.2" fill="#87d787">&lt;&amp;&gt;</text>
    <text x="98" y="27.5" textLength="25.2">x y</text>
    <text x="140" y="27.5" textLength="8.4">z</text>
    <text x="72.8" y="45.5" textLength="8.4">e\u{301}</text>
    </svg>
    """

  @Test func `lines, dots and symbols are shapes, whatever font the reader has`() async throws {
    let screen = home.path + "/lines"
    let text =
      "\u{1B}[31m╭─┤x├╌━╸\u{1B}[0m\n\u{1B}[2m⣿⣿⡇ ⣀\u{1B}[0m \n✔ ▶é\n"
    try text.write(toFile: screen, atomically: true, encoding: .utf8)
    let picture = try await draw("picture.awk", screen)
    let shapes = picture.output.split(separator: "\n").dropFirst(3)
    #expect(shapes.elementsEqual(Self.lines.split(separator: "\n")), "\(picture.output)")
  }

  private static let lines = """
    <path d="M18.2 32V26.7Q18.2 22.5 22.4 22.5" fill="none" stroke="#e06c75" \
    shape-rendering="auto"/>
    <rect x="34.5" y="14" width="1" height="18" fill="#e06c75"/>
    <rect x="22.4" y="22" width="13.1" height="1" fill="#e06c75"/>
    <rect x="51.3" y="14" width="1" height="18" fill="#e06c75"/>
    <rect x="56.84" y="22" width="2.52" height="1" fill="#e06c75"/>
    <rect x="61.04" y="22" width="2.52" height="1" fill="#e06c75"/>
    <rect x="51.3" y="22" width="4.7" height="1" fill="#e06c75"/>
    <rect x="64.4" y="21" width="12.6" height="3" fill="#e06c75"/>
    <path d="M16.1 47.75h16.85M16.1 34.25h16.85M16.1 38.75h16.85M16.1 43.25h16.85M49.7 47.75h4.25" \
    fill="none" stroke="#d5d8de" stroke-width="2.4" stroke-linecap="round" \
    stroke-dasharray="0 4.2" shape-rendering="auto" opacity="0.65"/>
    <text x="39.2" y="27.5" textLength="8.4" fill="#e06c75">x</text>
    <path transform="translate(14 50)" d="M1 9.4L3.3 12.4L7.4 4.8" fill="none" stroke="#d5d8de" \
    stroke-width="1.4" shape-rendering="auto"/>
    <path transform="translate(30.8 50)" d="M.6 4.6L7.8 9L.6 13.4z" fill="#d5d8de" \
    shape-rendering="auto"/>
    <text x="39.2" y="63.5" textLength="8.4">é</text>
    </svg>
    """

  @Test func `a moving picture has each shape once, with the times at which it shows`()
    async throws
  {
    try FileManager.default.createDirectory(
      atPath: home.path + "/scene", withIntermediateDirectories: true)
    let files = [
      "1": "ab  1\n", "2": "ab  2\n",
      "frames": "1000 - 1 k <up>\n500 - 2\n500 1,0 1\n",
    ]
    for (name, text) in files {
      try text.write(toFile: home.path + "/scene/" + name, atomically: true, encoding: .utf8)
    }
    let picture = try await draw("moving-picture.awk", home.path + "/scene/frames")
    let shapes = picture.output.split(separator: "\n").dropFirst(3)
    #expect(shapes.elementsEqual(Self.movingShapes.split(separator: "\n")), "\(picture.output)")
    #expect(picture.errors.isEmpty)
  }

  private static let movingShapes = """
    <style>
    @media (prefers-reduced-motion: no-preference) {
    g{animation:2s step-end infinite}
    .a{animation-name:a}
    .b{animation-name:b}
    .c{animation-name:c}
    .d{animation-name:d}
    }
    @keyframes a{0%{visibility:visible}50%{visibility:hidden}}
    @keyframes b{0%{visibility:hidden}75%{visibility:visible}}
    @keyframes c{0%{visibility:visible}50%{visibility:hidden}75%{visibility:visible}}
    @keyframes d{0%{visibility:hidden}50%{visibility:visible}75%{visibility:hidden}}
    </style>
    <g class="a">
    <rect x="22.4" y="40" width="25.2" height="20" rx="4" fill="#2c313a" stroke="#6b717d" \
    shape-rendering="auto"/>
    </g>
    <g class="b" visibility="hidden">
    <rect x="22.4" y="14" width="8.4" height="18" fill="#d5d8de" opacity="0.7"/>
    </g>
    <text x="14" y="27.5" textLength="16.8">ab</text>
    <g class="c">
    <text x="47.6" y="27.5" textLength="8.4">1</text>
    </g>
    <g class="a">
    <text x="30.8" y="54.5" font-weight="bold">k</text>
    <text x="56" y="54.5">&lt;up&gt;</text>
    </g>
    <g class="d" visibility="hidden">
    <text x="47.6" y="27.5" textLength="8.4">2</text>
    </g>
    </svg>
    """

  @Test func `a frame without its screen makes no picture`() async throws {
    let frames = home.path + "/frames"
    try "500 - missing\n".write(toFile: frames, atomically: true, encoding: .utf8)
    let picture = try await draw("moving-picture.awk", frames)
    #expect(picture.code == 1)
    #expect(picture.output.isEmpty)
    #expect(picture.errors.contains("missing"))
  }

  private func draw(_ script: String, _ file: String) async throws -> KettleHome.Outcome {
    let folder = root + "/assets/day/"
    return try await home.run(
      "/usr/bin/env", "LC_ALL=C", "awk", "-v", "title=A & B", "-f", folder + "screen.awk", "-f",
      folder + "glyphs.awk", "-f", folder + script, file)
  }
}

/// Finds moving pictures that would not move, or would show all their frames at once.
///
/// A group of such a picture has a class and, when it is not in the first frame, an attribute that
/// hides it. The class has keyframes of its name.
enum MovingPictureRule {
  /// Whether a picture is meant to move.
  static func moves(_ picture: SourceText) -> Bool {
    picture.lines.contains { $0.contains("@keyframes") || $0.contains("animation") }
  }

  static func findings(in picture: SourceText) -> [Finding] {
    let text = picture.lines.joined(separator: "\n")
    let frames = frames(in: text)
    let groups = groups(in: text)
    var whys: [String] = []
    if Set(frames.values.flatMap { $0 }.map(\.percent)).count < 10 {
      whys.append("has fewer than ten frames")
    }
    if !text.contains("prefers-reduced-motion") {
      whys.append("moves even if the reader prefers reduced motion")
    }
    for part in ["<script", "href", "url(", "@import"] where text.contains(part) {
      whys.append("contains \"\(part)\"")
    }
    for name in Set(groups.map(\.name)).subtracting(frames.keys).sorted() {
      whys.append("the group \(name) does not move")
    }
    for name in Set(frames.keys).subtracting(groups.map(\.name)).sorted() {
      whys.append("nothing moves as \(name)")
    }
    for group in groups where frames[group.name]?.first?.isVisible == group.isHidden {
      whys.append("the group \(group.name) differs from the first frame without animation")
    }
    return whys.map { Finding(path: picture.path, line: 0, why: $0) }
  }

  private struct Step {
    var percent: String
    var isVisible: Bool
  }

  private struct Group {
    var name: String
    var isHidden: Bool
  }

  /// The steps of each animation.
  private static func frames(in text: String) -> [String: [Step]] {
    var frames: [String: [Step]] = [:]
    for rule in text.matches(of: /@keyframes ([a-z]+)\{((?:[^{}]*\{[^{}]*\})*)\}/) {
      frames[String(rule.output.1)] =
        rule.output.2.matches(of: /([0-9.]+)%\{visibility:(visible|hidden)\}/)
        .map { Step(percent: String($0.output.1), isVisible: $0.output.2 == "visible") }
    }
    return frames
  }

  private static func groups(in text: String) -> [Group] {
    text.matches(of: /<g class="([a-z]+)"( visibility="hidden")?>/)
      .map { Group(name: String($0.output.1), isHidden: $0.output.2 != nil) }
  }
}

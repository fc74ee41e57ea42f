import Foundation
import KettleDashboard
import Testing

struct BindingsMarkdownTests {
  @Test func `the key bindings document matches the binding table`() throws {
    let here = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    let root = here.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("docs/keybindings.md")
    let committed = try String(contentsOf: file, encoding: .utf8)
    #expect(committed == Bindings.markdown, "Write Bindings.markdown to docs/keybindings.md")
  }
}

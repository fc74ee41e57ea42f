/// All actions with their default keys, before user mappings. `Keymap` and docs/keybindings.md are
/// built from it.
package enum Bindings {
  package static let all: [Action] = {
    var all: [Action] = []
    // Several screens may have the same action, each in its own contexts.
    var indices: [String: Int] = [:]
    for action in ofEveryScreen {
      if let index = indices[action.name] {
        all[index].contexts.formUnion(action.contexts)
      } else {
        indices[action.name] = all.count
        all.append(action)
      }
    }
    return all
  }()

  private static let ofEveryScreen: [Action] =
    AddScreen.bindings.actions + EntryDialog.bindings.actions
    + LoginDialog.bindings.actions
    + ListScreen.bindings.actions + SortMenu.bindings.actions + ViewMenu.bindings.actions
    + BinScreen.bindings.actions + CommandScreen.bindings.actions + DetailsScreen.bindings.actions
    + Question.bindings.actions + DecisionScreen.bindings.actions + Dashboard.bindings.actions

  /// The text of docs/keybindings.md.
  package static var markdown: String {
    var lines = ["# Keys of the dashboard", "", Strings.markdownNote]
    for group in Action.Group.allCases {
      lines += ["", "## " + Strings.title(of: group), ""]
      lines += ["| key | action | what it does |", "|---|---|---|"]
      for action in all where action.group == group {
        let keys = action.keys.map { "`" + $0.name + "`" }.joined(separator: ", ")
        lines.append("| \(keys) | `\(action.name)` | \(action.help) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Keymap {
  package static let standard = Keymap([])

  /// The keys of all actions.
  package init(_ mappings: [KeyMapping]) { self.init(mappings, of: Bindings.all) }
}

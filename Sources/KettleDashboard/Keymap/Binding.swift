/// One key binding of a screen: the action, whether it is possible, and what it does.
///
/// Handling, footer, help, configuration and documentation are all made from the tables of these.
struct Binding<Owner>: Sendable {
  typealias Available = @Sendable (Owner, ScreenContext) -> Availability
  typealias Effect = @Sendable (inout Owner, ScreenContext) -> [ScreenRequest]
  typealias Label = @Sendable (Owner, ScreenContext) -> String?

  let action: Action
  let availability: Available
  /// Returns the label in the current state; nil when the footer does not show the key now.
  let label: Label
  private let perform: Effect

  init(
    _ action: Action, label: Label? = nil, when availability: Available? = nil,
    do perform: @escaping Effect
  ) {
    self.action = action
    let whyNotInFleet = action.whyNotInFleet
    self.availability = { owner, context in
      if let whyNotInFleet, context.isOfFleet { return .impossible(whyNotInFleet) }
      return availability?(owner, context) ?? .possible
    }
    self.label = label ?? { _, _ in action.label }
    self.perform = perform
  }

  init(
    _ name: String, _ group: Action.Group, in contexts: Set<KeyContext>, keys: [Key],
    label: String? = nil, rank: Int = 0, isRequired: Bool = false,
    help: String, labelNow: Label? = nil, when availability: Available? = nil,
    do perform: @escaping Effect
  ) {
    let action = Action(
      name, group, in: contexts, keys: keys, label: label, rank: rank, isRequired: isRequired,
      help: help)
    self.init(action, label: labelNow, when: availability, do: perform)
  }

  /// Returns the binding for a screen from which the owner can be made. What the effect changes in
  /// the owner is lost; its requests are not.
  func lifted<Outer>(
    in contexts: Set<KeyContext>, to owner: @escaping @Sendable (Outer) -> Owner
  ) -> Binding<Outer> {
    var action = action
    action.contexts = contexts
    return Binding<Outer>(
      action, label: { outer, context in label(owner(outer), context) },
      when: { outer, context in availability(owner(outer), context) },
      do: { outer, context in
        var inner = owner(outer)
        return perform(&inner, context)
      })
  }

  /// Performs the action, or says why it is not possible.
  func attempt(on owner: inout Owner, _ context: ScreenContext) -> [ScreenRequest] {
    switch availability(owner, context) {
    case .possible: perform(&owner, context)
    case .impossible(let reason): [.say(context.keymap.filled(reason))]
    }
  }
}

/// The bindings of one screen, in the order of the help.
struct BindingTable<Owner>: Sendable, ExpressibleByArrayLiteral {
  let all: [Binding<Owner>]
  private let byName: [String: Binding<Owner>]

  init(_ bindings: [Binding<Owner>]) {
    all = bindings
    byName = Dictionary(bindings.map { ($0.action.name, $0) }) { first, _ in first }
  }

  init(arrayLiteral bindings: Binding<Owner>...) { self.init(bindings) }

  /// Returns the binding of an action; nil when it has no meaning in the context.
  func binding(of action: String, in context: KeyContext) -> Binding<Owner>? {
    byName[action].flatMap { $0.action.contexts.contains(context) ? $0 : nil }
  }

  func bindings(in context: KeyContext) -> [Binding<Owner>] {
    all.filter { $0.action.contexts.contains(context) }
  }

  var actions: [Action] { all.map(\.action) }
}

/// Whether an action has an effect in the current state.
package enum Availability: Hashable, Sendable {
  case possible
  /// Includes the reason that is shown when the user presses the key.
  case impossible(String)

  package var isPossible: Bool {
    switch self {
    case .possible: true
    case .impossible: false
    }
  }

  init(unless reason: String?) {
    self = reason.map { .impossible($0) } ?? .possible
  }
}

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
    + BinScreen.bindings.actions + ChoiceScreen.bindings.actions + CommandScreen.bindings.actions
    + DetailsScreen.bindings.actions
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

/// The names of actions in the configuration and in docs/keybindings.md. They never change: what a
/// user has mapped stays mapped.
extension DashboardCommand {
  func actionName(in group: Binding.Group) -> String {
    switch self {
    case .row(let command): command.actionName
    case .mark(let command): command.actionName
    case .all(let command): command.actionName
    case .move(let movement): movement.actionName(in: group)
    case .edit(let edit): edit.actionName
    case .add: "add"
    case .addNow: "add-now"
    case .enterNow: "accept"
    case .back: "back"
    case .confirm: "yes"
    case .cancel: group == .question ? "no" : "cancel"
    case .help: "help"
    case .redraw: "redraw"
    case .suspend: "suspend"
    case .leave: "leave"
    }
  }

  /// Without a key for it nobody would find out of where they are, or what the keys are.
  var needsKey: Bool {
    switch self {
    case .addNow, .enterNow, .back, .confirm, .cancel, .help, .leave: true
    case .row, .mark, .all, .move, .edit, .add, .redraw, .suspend: false
    }
  }
}

extension RowCommand {
  fileprivate var actionName: String {
    switch self {
    case .start: "start"
    case .pause: "pause"
    case .stop: "stop"
    case .remove: "remove"
    case .removeWithFile: "remove-file"
    case .details: "details"
    case .relink: "new-link"
    case .limit: "limit"
    }
  }
}

extension MarkCommand {
  fileprivate var actionName: String {
    switch self {
    case .toggle: "mark"
    case .all: "mark-all"
    case .none: "unmark-all"
    case .invert: "invert-marks"
    }
  }
}

extension ListCommand {
  fileprivate var actionName: String {
    switch self {
    case .start: "start-all"
    case .pause: "pause-all"
    case .stop: "stop-all"
    case .reset: "reset"
    }
  }
}

extension Movement {
  /// The same movement is another action in the list, in what is read and in a dialog.
  fileprivate func actionName(in group: Binding.Group) -> String {
    let name =
      switch self {
      case .up: "up"
      case .down: "down"
      case .pageUp: "page-up"
      case .pageDown: "page-down"
      case .home: "first"
      case .end: "last"
      }
    return switch group {
    case .transfer, .all, .finding, .moving, .dashboard: name
    case .reader: "scroll-" + name
    case .add, .question: "dialog-" + name
    }
  }
}

extension Edit {
  fileprivate var actionName: String {
    switch self {
    case .left: "cursor-left"
    case .right: "cursor-right"
    case .lineStart: "line-start"
    case .lineEnd: "line-end"
    case .eraseBefore: "erase-before"
    case .eraseAfter: "erase-after"
    case .eraseLine: "erase-line"
    case .nextLine: "next-line"
    }
  }
}

extension KeyContext {
  /// Whether letters are text there.
  package var takesText: Bool {
    switch self {
    case .add, .entry: true
    case .list, .reader, .question: false
    }
  }
}

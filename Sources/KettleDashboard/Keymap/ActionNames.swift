/// The names of actions in the configuration and in docs/keybindings.md. They never change, so that
/// users' mappings stay valid.
extension DashboardCommand {
  /// - Parameter context: The context of the binding; the first one if it has several.
  func actionName(in context: KeyContext) -> String {
    switch self {
    case .row(let command): command.actionName
    case .mark(let command): command.actionName
    case .view(let command): command.actionName
    case .queue(let command): command.actionName
    case .all(let command): command.actionName
    case .move(let movement): movement.actionName(in: context)
    case .edit(let edit): edit.actionName
    case .details(let command): command.actionName
    case .copyOrOpen(let command): command.actionName
    case .add: "add"
    case .addNow: "add-now"
    case .acceptEntry: "accept"
    case .acceptQuery: "keep-query"
    case .choose: "choose"
    case .back: "back"
    case .confirm: "yes"
    case .cancel: cancelName(in: context)
    case .help: "help"
    case .redraw: "redraw"
    case .suspend: "suspend"
    case .leave: "leave"
    }
  }

  private func cancelName(in context: KeyContext) -> String {
    switch context {
    case .question: "no"
    case .menu: "menu-cancel"
    case .list, .reader, .add, .entry, .query: "cancel"
    }
  }

  /// Whether it must have a key: otherwise the user could not leave the screen or find the keys.
  var needsKey: Bool {
    switch self {
    case .addNow, .acceptEntry, .acceptQuery, .choose, .back, .confirm, .cancel, .help, .leave: true
    case .row, .mark, .view, .queue, .all, .move, .edit, .details, .copyOrOpen, .add, .redraw,
      .suspend:
      false
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

extension ViewCommand {
  fileprivate var actionName: String {
    switch self {
    case .filter: "filter"
    case .search: "search"
    case .findNext: "next-match"
    case .findPrevious: "previous-match"
    case .sortMenu: "sort-menu"
    case .columnLeft: "sort-left"
    case .columnRight: "sort-right"
    case .reverse: "reverse"
    case .follow: "follow"
    case .freeze: "freeze"
    case .history: "history"
    case .clearFinished: "clear-finished"
    case .clear: "clear"
    }
  }
}

extension QueueCommand {
  fileprivate var actionName: String {
    switch self {
    case .up: "queue-up"
    case .down: "queue-down"
    case .toTop: "queue-top"
    case .toBottom: "queue-bottom"
    case .sooner: "priority-up"
    case .later: "priority-down"
    }
  }
}

extension AllCommand {
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
  /// The same movement has another action name in the list, in the reader and in each dialog.
  fileprivate func actionName(in context: KeyContext) -> String {
    let name =
      switch self {
      case .up: "up"
      case .down: "down"
      case .pageUp: "page-up"
      case .pageDown: "page-down"
      case .home: "first"
      case .end: "last"
      }
    return switch context {
    case .list: name
    case .reader: "scroll-" + name
    case .menu: "menu-" + name
    case .query: "query-" + name
    case .add, .entry, .question: "dialog-" + name
    }
  }
}

extension CopyOrOpenCommand {
  fileprivate var actionName: String {
    switch self {
    case .copyURL: "copy-url"
    case .copyPath: "copy-path"
    case .openFile: "open-file"
    }
  }
}

extension DetailsCommand {
  fileprivate var actionName: String {
    switch self {
    case .section(.overview): "show-overview"
    case .section(.parts): "show-parts"
    case .section(.addresses): "show-addresses"
    case .section(.headers): "show-headers"
    case .section(.events): "show-events"
    case .section(.speed): "show-speed"
    case .nextSection: "next-section"
    case .previousSection: "previous-section"
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
    case .nextField: "next-field"
    case .previousField: "previous-field"
    }
  }
}

extension KeyContext {
  /// Whether letters are text in this context.
  package var takesText: Bool {
    switch self {
    case .add, .entry, .query: true
    case .list, .reader, .question, .menu: false
    }
  }
}

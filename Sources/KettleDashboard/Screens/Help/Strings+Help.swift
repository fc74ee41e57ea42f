import KettleModel

/// Help, and the report of a reset.
extension Strings {
  static func linesShown(_ first: Int, _ last: Int, of count: Int) -> String {
    "lines \(first) to \(last) of \(count)"
  }

  static let helpTitle = "Keys"
  static let reportTitle = "Reset"
  static let noKey = "-"
  static let headingRemapping = "Changing keys"
  static let remappingNote =
    "The [keys] table of the configuration file binds actions to other keys, for example "
    + "pause = \"z\" or start = [\"s\", \"F5\"]."
  static let headingLeaving = "Leaving"
  static let leavingNote =
    "The transfers run in the service: they continue after the dashboard, the terminal or the "
    + "login session ends. Run kettle to see them again."
  static let markdownNote =
    "This page is generated from the dashboard's table of key bindings."

  static func title(of group: Action.Group) -> String {
    switch group {
    case .transfer: "The marked transfers, or the one under the cursor"
    case .finding: "Marking, filtering, searching and sorting"
    case .all: "All transfers"
    case .moving: "Moving"
    case .reader: "Details and other screens"
    case .add: "Dialogs"
    case .question: "Questions"
    case .dashboard: "The dashboard"
    }
  }
}

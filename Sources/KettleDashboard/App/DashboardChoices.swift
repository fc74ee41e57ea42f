import KettleModel

/// The user's choices that the dashboard remembers from one run to the next. A missing one is the
/// default.
package struct DashboardChoices: Codable, Hashable, Sendable {
  /// The order of the list, not of the history.
  package var sort: RowSort?
  /// The folded groups of the list.
  package var folded: [ListGroup]?
  /// The section of the pane below the list; nil while the pane is closed.
  package var pane: DetailsSection?
  package var hiddenColumns: [TableColumn]?
  /// The name of a theme; nil is the configured one.
  package var theme: String?

  private enum CodingKeys: String, CodingKey {
    case sort, folded, pane, hiddenColumns, theme
  }

  /// - Parameter hiddenColumns: none is the same as nil.
  package init(
    sort: RowSort? = nil, folded: [ListGroup]? = nil, pane: DetailsSection? = nil,
    hiddenColumns: [TableColumn] = [], theme: String? = nil
  ) {
    self.sort = sort
    self.folded = folded
    self.pane = pane
    self.hiddenColumns = hiddenColumns.isEmpty ? nil : hiddenColumns
    self.theme = theme
  }

  /// A member that cannot be understood counts as missing; another version may have written it.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sort = try? members.decode(RowSort.self, forKey: .sort)
    folded = try? members.decode([ListGroup].self, forKey: .folded)
    pane = try? members.decode(DetailsSection.self, forKey: .pane)
    hiddenColumns = try? members.decode([TableColumn].self, forKey: .hiddenColumns)
    theme = try? members.decode(String.self, forKey: .theme)
  }
}

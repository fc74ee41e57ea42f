import KettleModel

/// The user's choices that the dashboard remembers from one run to the next. A missing one is the
/// default.
package struct DashboardChoices: Codable, Hashable, Sendable {
  /// The order of the list, not of the history.
  package var sort: RowSort?
  /// The folded groups of the list.
  package var folded: [RowGroup]?
  /// The section of the pane below the list; nil while the pane is closed.
  package var pane: DetailsSection?

  private enum CodingKeys: String, CodingKey {
    case sort, folded, pane
  }

  package init(
    sort: RowSort? = nil, folded: [RowGroup]? = nil, pane: DetailsSection? = nil
  ) {
    self.sort = sort
    self.folded = folded
    self.pane = pane
  }

  /// A member that cannot be understood counts as missing; another version may have written it.
  package init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    sort = try? members.decode(RowSort.self, forKey: .sort)
    folded = try? members.decode([RowGroup].self, forKey: .folded)
    pane = try? members.decode(DetailsSection.self, forKey: .pane)
  }
}

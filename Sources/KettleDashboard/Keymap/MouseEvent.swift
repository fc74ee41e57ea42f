/// Mouse input.
package struct MouseEvent: Hashable, Sendable {
  package enum Kind: Hashable, Sendable, CaseIterable {
    case click, doubleClick, wheelUp, wheelDown
  }

  package var kind: Kind
  /// From 0, at the top left cell.
  package var row: Int
  package var column: Int

  package init(_ kind: Kind, row: Int, column: Int) {
    self.kind = kind
    self.row = row
    self.column = column
  }
}

/// Where the tables and entries of a file are, in bytes.
struct TOMLLayout: Hashable, Sendable {
  struct Table: Hashable, Sendable {
    /// The full name; an element of an array of tables has its number in it.
    var name: String
    /// The array of tables that it is an element of.
    var array: String?
    /// The line of the header with its end.
    var lines: Range<Int>
  }

  struct Entry: Hashable, Sendable {
    /// The full name.
    var name: String
    /// The table that it is in; empty before the first one.
    var table: String
    /// The value alone. That of unquoted text ends before the comment.
    var value: Range<Int>
    /// All lines of the entry with their ends.
    var lines = 0..<0
  }

  var tables: [Table] = []
  var entries: [Entry] = []
}

import KettleModel

/// The files of a collection as a tree of directories, with what is chosen.
///
/// Sums are kept with each directory, so that a mark costs what is below it and above it.
package struct MemberTree: Hashable, Sendable {
  package struct Node: Sendable {
    package let name: String
    package let depth: Int
    /// The number in the list; nil for a directory.
    package let number: Int64?
    package fileprivate(set) var isFolded = false
    /// Of the files in it, or of itself.
    package fileprivate(set) var all = MemberSum()
    package fileprivate(set) var chosen = MemberSum()
    fileprivate let parent: Int
    fileprivate var children: [Int] = []

    package var isDirectory: Bool { number == nil }
    package var mark: Mark {
      chosen.count == 0 ? .none : chosen.count == all.count ? .all : .some
    }
  }

  package enum Mark: Hashable, Sendable { case none, some, all }

  private static let root = 0
  private var nodes = [Node(name: "", depth: -1, number: nil, parent: 0)]
  /// The nodes of directories, by their paths.
  private var directories: [String: Int] = ["": MemberTree.root]
  /// The visible nodes in order.
  private var rows: [Int] = []
  /// Changes with everything else, and is compared in its place.
  private var revision = 0
  /// Only files with this text in their paths are visible.
  package private(set) var filter = ""

  package init() {}

  package static func == (one: Self, other: Self) -> Bool {
    one.revision == other.revision && one.nodes.count == other.nodes.count
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(revision) }

  package var rowCount: Int { rows.count }
  package var all: MemberSum { nodes[Self.root].all }
  package var chosen: MemberSum { nodes[Self.root].chosen }

  /// Returns the node in a row; nil beyond the last one.
  package func node(inRow row: Int) -> Node? {
    rows.indices.contains(row) ? nodes[rows[row]] : nil
  }

  /// Returns the files that are not chosen, as runs of their numbers.
  package var leftOut: [MemberRun] {
    var runs: [MemberRun] = []
    let files = nodes.filter { $0.number != nil }.sorted { $0.number ?? 0 < $1.number ?? 0 }
    var follows = false
    for file in files {
      guard let number = file.number else { continue }
      defer { follows = file.chosen.count == 0 }
      guard file.chosen.count == 0 else { continue }
      // Numbers between two files belong to none, so the run may have them.
      if follows, !runs.isEmpty {
        runs[runs.count - 1].last = number
      } else {
        runs.append(MemberRun(first: number, last: number))
      }
    }
    return runs
  }

  // MARK: Changing

  /// Adds files, which are chosen.
  package mutating func append(_ members: [NumberedMember]) {
    for one in members {
      let path = one.member.path
      let parent = directory(path.directories)
      let size = one.member.byteCount
      let sum = MemberSum(
        count: 1, byteCount: max(0, size ?? 0), unknownSizeCount: size == nil ? 1 : 0)
      var file = Node(
        name: path.name, depth: nodes[parent].depth + 1, number: one.number, parent: parent)
      file.all = sum
      file.chosen = sum
      nodes[parent].children.append(nodes.count)
      nodes.append(file)
      forEachAncestor(of: nodes.count - 1) { directory in
        directory.all.add(sum)
        directory.chosen.add(sum)
      }
    }
    revision += 1
    // Later pages of a long list only change the sums until `sort` shows everything.
    if nodes.count < Self.shownCountMaxWhileReading { list() }
  }

  /// More than anybody looks at while the list is being read.
  private static let shownCountMaxWhileReading = 10_000

  private mutating func directory(_ components: ArraySlice<String>) -> Int {
    let path = components.joined(separator: "/")
    if let known = directories[path] { return known }
    let parent = directory(components.dropLast())
    let new = Node(
      name: components.last ?? "", depth: nodes[parent].depth + 1, number: nil, parent: parent)
    nodes[parent].children.append(nodes.count)
    nodes.append(new)
    directories[path] = nodes.count - 1
    return nodes.count - 1
  }

  /// Sorts by name, directories first.
  package mutating func sort() {
    for index in nodes.indices {
      nodes[index].children = nodes[index].children.sorted { one, other in
        let (one, other) = (nodes[one], nodes[other])
        return one.isDirectory == other.isDirectory ? one.name < other.name : one.isDirectory
      }
    }
    list()
  }

  /// Folds the directory in a row, or shows what is in it.
  package mutating func fold(row: Int, _ isFolded: Bool) {
    guard rows.indices.contains(row), nodes[rows[row]].isDirectory else { return }
    nodes[rows[row]].isFolded = isFolded
    list()
  }

  /// Returns the row of the directory of a file or of a directory; nil at the top.
  package func rowOfParent(ofRow row: Int) -> Int? {
    guard rows.indices.contains(row) else { return nil }
    let parent = nodes[rows[row]].parent
    return parent == Self.root ? nil : rows.firstIndex(of: parent)
  }

  /// Chooses what is in a row, or leaves it out if all of it was chosen. With a filter only the
  /// visible files of a directory count.
  package mutating func toggle(row: Int) {
    guard rows.indices.contains(row) else { return }
    choose(files(below: rows[row]))
  }

  /// Chooses all visible files, or leaves them out if all were chosen.
  package mutating func toggleAll() { choose(files(below: Self.root)) }

  private mutating func choose(_ files: [Int]) {
    let isChosen = files.contains { nodes[$0].chosen.count == 0 }
    for file in files where (nodes[file].chosen.count > 0) != isChosen {
      let sum = nodes[file].all
      nodes[file].chosen = isChosen ? sum : MemberSum()
      forEachAncestor(of: file) { directory in
        if isChosen { directory.chosen.add(sum) } else { directory.chosen.subtract(sum) }
      }
    }
    revision += 1
  }

  private mutating func forEachAncestor(of node: Int, _ change: (inout Node) -> Void) {
    var index = node
    while index != Self.root {
      index = nodes[index].parent
      change(&nodes[index])
    }
  }

  private func files(below node: Int) -> [Int] {
    var files: [Int] = []
    var waiting = [node]
    let wanted = filter.lowercased()
    while let index = waiting.popLast() {
      if !nodes[index].isDirectory {
        if wanted.isEmpty || path(of: index).lowercased().contains(wanted) { files.append(index) }
      }
      waiting += nodes[index].children
    }
    return files
  }

  // MARK: Rows

  package mutating func find(_ text: String) {
    filter = text
    list()
  }

  private func path(of node: Int) -> String {
    var names: [String] = []
    var index = node
    while index != Self.root {
      names.append(nodes[index].name)
      index = nodes[index].parent
    }
    return names.reversed().joined(separator: "/")
  }

  /// Finds the visible nodes: those in folded directories are not, unless they are sought.
  private mutating func list() {
    revision += 1
    rows = []
    let sought = filter.isEmpty ? nil : soughtNodes()
    var waiting = Array(nodes[Self.root].children.reversed())
    while let index = waiting.popLast() {
      if let sought, !sought.contains(index) { continue }
      rows.append(index)
      if sought != nil || !nodes[index].isFolded { waiting += nodes[index].children.reversed() }
    }
  }

  private func soughtNodes() -> Set<Int> {
    var sought: Set<Int> = []
    for file in files(below: Self.root) {
      var index = file
      while index != Self.root, sought.insert(index).inserted { index = nodes[index].parent }
    }
    return sought
  }
}

extension MemberSum {
  fileprivate mutating func add(_ other: MemberSum) {
    count += other.count
    byteCount = byteCount.addingReportingOverflow(other.byteCount).partialValue
    unknownSizeCount += other.unknownSizeCount
  }

  fileprivate mutating func subtract(_ other: MemberSum) {
    count -= other.count
    byteCount = byteCount.subtractingReportingOverflow(other.byteCount).partialValue
    unknownSizeCount -= other.unknownSizeCount
  }
}

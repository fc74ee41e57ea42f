import Foundation
import KettleModel
import Testing

struct DirectoryGroupTests {
  private let keys = ["f", "a/f", "a/b/f", "a/b/c/f", "a b/f", "a-b/f", "d/e/f"]
    .map(DirectoryGroup.key(ofPath:))

  private func groups(depth: Int) -> [ListGroup] {
    keys.map { DirectoryGroup(of: $0, depth: depth).group }
  }

  @Test func `the files of a directory follow it, before those of longer names`() {
    #expect(keys == keys.sorted())
  }

  @Test func `a heading has the directory itself, or at its depth all that is in it too`() {
    #expect(groups(depth: 0) == keys.map { _ in .directory("") })
    #expect(
      groups(depth: 1)
        == ["", "a", "a", "a", "a b", "a-b", "d"].map { ListGroup.directory($0) })
    #expect(
      groups(depth: 9)
        == ["", "a", "a/b", "a/b/c", "a b", "a-b", "d/e"].map { ListGroup.directory($0) })
  }

  @Test(arguments: 0...4) func `the end of a group is behind its rows alone`(depth: Int) {
    for (place, key) in keys.enumerated() {
      let group = DirectoryGroup(of: key, depth: depth)
      let rows = keys.indices.filter { groups(depth: depth)[$0] == group.group }
      let before = keys.indices.filter { RowSection(directory: keys[$0]) < group.end }
      #expect(before == Array(0...(rows.last ?? place)))
    }
  }

  @Test(arguments: [(7, MemberPath.depthMax), (6, 2), (5, 1), (4, 0), (1, 0)])
  func `the depth leaves as many groups as may be shown`(countMax: Int, depth: Int) {
    #expect(DirectoryGroup.depth(of: keys, countMax: countMax) == depth)
    #expect(Set(groups(depth: depth)).count <= countMax)
  }

  @Test func `a group is read as it was written`() throws {
    let groups: [ListGroup] = [
      .directory(""), .directory("a/b"), .directory("\u{301}b"), .directory("\u{1F3FB}"), .noQueue,
      .done,
    ]
    let written = try JSONEncoder().encode(groups)
    #expect(try JSONDecoder().decode([ListGroup].self, from: written) == groups)
  }

  @Test func `one directory has any depth`() {
    #expect(DirectoryGroup.depth(of: ["a"], countMax: 1) == MemberPath.depthMax)
    #expect(DirectoryGroup.depth(of: [], countMax: 1) == MemberPath.depthMax)
  }
}

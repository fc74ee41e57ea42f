import Testing

/// The rule against small bad samples.
struct RoomRuleTests {
  private func folders(_ paths: [String], exceptions: Set<String> = []) -> [String] {
    RoomRule.sparseFolders(paths, exceptions: exceptions).map(\.description)
  }

  @Test func `a folder with fewer than two files is found`() {
    #expect(folders(["Sources/A/1.swift", "Sources/A/2.swift"]).isEmpty)
    #expect(
      folders(["Sources/A/B/1.swift"])
        == ["Sources/A/B:0: holds 1 files, at least 2 are required"])
    #expect(folders(["Sources/A/B/1.swift"], exceptions: ["Sources/A/B"]).isEmpty)
    #expect(folders(["Tests/A/1.swift"]).isEmpty)
  }

  @Test func `an exception that is no longer needed is found`() {
    #expect(
      folders([], exceptions: ["Sources/A/B"])
        == ["Sources/A/B:0: no longer an exception: remove it from the list"])
  }

  @Test func `a small extension with a file of its own is found`() {
    let small = SourceText(path: "Sources/A/B+C.swift", text: "a\n")
    let large = SourceText(
      path: "Sources/A/B+D.swift", text: String(repeating: "a\n", count: 25))
    let plain = SourceText(path: "Sources/A/B.swift", text: "a\n")
    let files = [small, large, plain]
    #expect(RoomRule.fragments(files, exceptions: []).map(\.path) == ["Sources/A/B+C.swift"])
    #expect(RoomRule.fragments(files, exceptions: ["Sources/A/B+C.swift"]).isEmpty)
  }
}

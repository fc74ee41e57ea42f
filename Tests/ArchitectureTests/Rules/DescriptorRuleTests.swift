import Testing

struct DescriptorRuleTests {
  private func lines(
    _ text: String, at path: String = "Sources/KettleFiles/Sample.swift"
  ) -> [Int] {
    DescriptorRule.findings(in: SourceText(path: path, text: text)).map(\.line)
  }

  @Test(arguments: [
    "close(descriptor)", "Glibc.close(descriptor)", "_ = close(-1)", "defer { close(file) }",
    "deinit { close(descriptor) }", "for end in ends { close(end) }", "if a { close(b) }",
    "fclose(file)", "if isOpen { Glibc.close(a.b) }",
  ])
  func `a descriptor closed by hand is found`(line: String) {
    #expect(lines("let a = 5\n" + line) == [2])
    // The module's name distinguishes the call from a method of the same name.
    #expect(lines("func close() {}\nGlibc.close(descriptor)") == [2])
  }

  @Test(arguments: [
    "connection.close()", "await close()", "try? channel.close(promise: nil)", "func close() {",
    "disclose(descriptor)", "closedir(directory)", "enclose(a)", "// close(descriptor)",
    "\"close(descriptor)\"", "state.withLock { $0.close() }", "let isClosed = closed(a)",
    "closeBody(id, close)",
  ])
  func `look-alikes are accepted`(line: String) {
    #expect(lines(line) == [])
  }

  @Test func `a method named close may be called with arguments`() {
    #expect(lines("func close(_ second: Int) {\n}\nclose(5)") == [])
  }

  @Test func `only the owner, examples and tests may close a descriptor`() {
    #expect(lines("close(5)", at: "Sources/KettleSystem/OwnedDescriptor.swift") == [])
    #expect(lines("close(5)", at: "Sources/KettleSystem/Other.swift") == [1])
    #expect(lines("close(5)", at: "Benchmarks/A/A.swift") == [1])
    #expect(lines("close(5)", at: "Examples/A/A.swift") == [])
    #expect(lines("close(5)", at: "Tests/KettleFilesTests/A.swift") == [])
  }
}

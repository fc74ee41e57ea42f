import BackgroundTransfer
import Testing

struct ServiceExecutableTests {
  private func find(
    _ configured: String? = nil, _ environment: [String: String] = [:], existing: Set<String>
  ) -> String? {
    try? ServiceExecutable.find(
      configured: configured, environment: environment, canRun: { existing.contains($0) }
    ).get()
  }

  @Test func `executable locations are searched in order`() {
    let environment = ["KETTLE_EXECUTABLE": "/e/kettle", "PATH": "/p1:/p2"]
    let all: Set = [
      "/c/kettle", "/e/kettle", "/p1/kettle", "/p2/kettle", "/usr/local/bin/kettle",
      "/usr/bin/kettle",
    ]
    #expect(find("/c/kettle", environment, existing: all) == "/c/kettle")
    #expect(find(nil, environment, existing: all) == "/e/kettle")
    #expect(find(nil, ["PATH": "/p1:/p2"], existing: all) == "/p1/kettle")
    #expect(find(nil, ["PATH": "/p1:/p2"], existing: ["/p2/kettle"]) == "/p2/kettle")
    #expect(find(nil, ["PATH": ""], existing: all) == "/usr/local/bin/kettle")
    #expect(find(existing: ["/usr/bin/kettle"]) == "/usr/bin/kettle")
    #expect(find(existing: []) == nil)
  }

  @Test func `a configured program that cannot be run is an error`() {
    let result = ServiceExecutable.find(
      configured: nil, environment: ["KETTLE_EXECUTABLE": "/gone", "PATH": "/p"],
      canRun: { $0 == "/p/kettle" })
    #expect(throws: ServiceExecutable.Missing.self) { try result.get() }
    guard case .failure(let missing) = result else { return }
    #expect(
      missing.sentence
        == "The program \"/gone\" given by KETTLE_EXECUTABLE cannot be run; give its absolute path"
    )
  }

  @Test func `relative directories in PATH are ignored`() {
    #expect(find(nil, ["PATH": "bin:."], existing: ["bin/kettle", "./kettle"]) == nil)
  }
}

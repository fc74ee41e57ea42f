import Foundation
import KettleModel
import Testing
import TestSupport

/// The libraries that the real program loads, and those that only its service loads.
struct RealLibrariesTests {
  @Test func `a command loads no network library`() async throws {
    let home = try KettleHome()
    // Prints what the program is linked to, in place of running it (ld.so(8)).
    let linked = try await home.run(
      "/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1", KettleHome.program
    ).output
    #expect(linked.contains("libsqlite3.so"))
    for library in ["libcurl", "libssl", "libcrypto"] {
      #expect(!linked.contains(library), "\(library) in \(linked)")
    }
  }

  @Test func `a service that is in no fleet loads nothing for one`() async throws {
    let home = try KettleHome()
    #expect(try await home.kettle("daemon", "start").code == 0)
    let path = "/proc/\(try await home.servicePID())/maps"
    let maps = try await home.run("/usr/bin/env", "cat", path).output
    #expect(maps.contains("libcurl"))
    #expect(!maps.contains("libpq"))
    let command = try await home.kettle("list", "--fleet")
    #expect(command.code == 2)
    #expect(command.errors.contains("kettle fleet join"))
  }

  @Test(arguments: ["libcurl.so.4", "libssl.so.3", "libcrypto.so.3"])
  func `the service reports a library that cannot be loaded, and commands still work`(
    library: String
  ) async throws {
    let home = try KettleHome()
    // An invalid library is found before the right one.
    let broken = home.path + "/libraries"
    try FileManager.default.createDirectory(
      atPath: broken, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: broken + "/" + library))
    let others = home.environment["LD_LIBRARY_PATH"].map { ":" + $0 } ?? ""
    let variable = "LD_LIBRARY_PATH=" + broken + others

    let service = try await home.run(
      "/usr/bin/env", variable, KettleHome.program, "daemon", "run")
    #expect(service.code == 1)
    #expect(
      service.errors == """
        kettle: A library that the service needs cannot be loaded (\(broken)/\(library): file too \
        short); install libcurl and OpenSSL 3, on Debian with "apt install libcurl4 libssl3"

        """)
    // Started in the home's own environment, where the libraries are valid.
    #expect(try await home.kettle("daemon", "start").code == 0)
    let origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(SeededBody(seed: 5, byteCount: 10_000)), at: "/a.bin")
    let url = try origin.url("/a.bin").text
    for words in [["--version"], ["get", url], ["list"], ["daemon", "status"]] {
      let command = try await home.run(
        "/usr/bin/env", [variable, KettleHome.program] + words)
      #expect(command.code == 0, "\(words): \(command.errors)")
    }
  }
}

import Foundation
import KettleModel
import Testing
import TestSupport

/// Collections that are directories of FTP and WebDAV servers.
struct DirectoryCollectionTests {
  private let body = SeededBody(seed: 5, byteCount: 100_000)

  private func add(
    _ kind: CollectionSource.Kind, _ name: String, _ url: String, in world: WireWorld
  ) async throws -> TransferID {
    let url = try TransferURL.parse(url).get().url
    return try await world.add(url) { spec in
      spec.directory = world.home.documents + "/data"
      spec.options.collection = CollectionRequest(CollectionSource(kind, name: name, url: url))
    }
  }

  private func expectFiles(_ paths: [String], in world: WireWorld) {
    for path in paths {
      let difference = body.difference(fromFileAt: world.home.documents + "/data/" + path)
      #expect(difference == nil, "\(path): \(world.told.read { $0 })")
    }
  }

  @Test func `a directory of an FTP server is fetched with its subdirectories`() async throws {
    let world = try await WireWorld()
    let server = try ScriptedFTPServer(
      FTPBehavior(body).with {
        $0.listings = [
          "/pub": "total 2\r\ndrwxr-xr-x 2 u g 4096 Jun 12 10:00 sub\r\n"
            + "-rw-r--r-- 1 u g 100000 Jun 12 10:00 a b.bin\r\n",
          "/pub/sub": "-rw-r--r-- 1 u g 100000 Jun 12 10:00 c.bin\r\n",
        ]
      })
    let root = "ftp://127.0.0.1:\(server.port)/pub"
    let row = try await world.end(of: add(.directory, root + "/", root, in: world))
    #expect(row.state == .completed, "\(world.told.read { $0 }) \(server.commands)")
    #expect(row.collection?.memberCount == 2)
    expectFiles(["a b.bin", "sub/c.bin"], in: world)
    #expect(server.commands("LIST").count == 2)
    // The size of a directory is not asked for.
    #expect(Set(server.commands("SIZE")) == ["SIZE a b.bin", "SIZE c.bin"])
  }

  @Test func `a directory that an FTP server does not have fails`() async throws {
    let world = try await WireWorld()
    let server = try ScriptedFTPServer(FTPBehavior(body))
    let root = "ftp://127.0.0.1:\(server.port)/none"
    let row = try await world.end(of: add(.directory, root + "/", root, in: world))
    #expect(row.state == .failed)
    #expect(row.error?.code == .httpStatus, "\(String(describing: row.error))")
  }

  private func response(_ path: String, isDirectory: Bool) -> String {
    "<d:response><d:href>\(path)</d:href><d:propstat><d:prop><d:resourcetype>"
      + (isDirectory ? "<d:collection/>" : "") + "</d:resourcetype>"
      + (isDirectory ? "" : "<d:getcontentlength>100000</d:getcontentlength>")
      + "</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>"
  }

  private func multistatus(_ responses: String...) -> OriginBehavior {
    .status(
      207, headers: [HeaderField(received: "Content-Type", "application/xml; charset=utf-8")],
      text: "<d:multistatus xmlns:d=\"DAV:\">\(responses.joined())</d:multistatus>")
  }

  @Test func `a directory of a WebDAV server is fetched with its subdirectories`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      multistatus(
        response("/d/", isDirectory: true), response("/d/sub/", isDirectory: true),
        response("/d/a%20b.bin", isDirectory: false)), at: "/d/")
    world.origin.serve(
      multistatus(
        response("/d/sub/", isDirectory: true), response("/d/sub/c.bin", isDirectory: false)),
      at: "/d/sub/")
    for path in ["/d/a%20b.bin", "/d/sub/c.bin"] {
      world.origin.serve(OriginBehavior(body), at: path)
    }
    let url = try world.origin.url("/d/").text
    let name = "dav" + url.dropFirst("http".count)
    let row = try await world.end(of: add(.webDAV, name, url, in: world))
    #expect(row.state == .completed, "\(world.told.read { $0 })")
    expectFiles(["a b.bin", "sub/c.bin"], in: world)
    let listings = world.origin.requests(at: "/d/") + world.origin.requests(at: "/d/sub/")
    #expect(listings.map(\.method) == ["PROPFIND", "PROPFIND"])
    #expect(listings.allSatisfy { $0.value(of: "Depth") == "1" })
    #expect(world.origin.requests(at: "/d/sub/c.bin").allSatisfy { $0.method == "GET" })
  }
}

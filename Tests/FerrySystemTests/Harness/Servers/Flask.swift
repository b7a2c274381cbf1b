/// An application of the Flask framework behind idemkit, a middleware that honours idempotency keys. It takes orders and
/// forms.
struct Flask: ServerKind {
    var name: String { "Flask" }
    var tool: Tool { .flask }

    func command(_ plan: ServerPlan) throws -> [String] {
        [try tool.requiredPath(), try plan.write(Self.application, as: "app.py"), "\(plan.port)"]
    }

    private static let application = """
        import hashlib, sys, waitress
        from flask import Flask, jsonify, request
        from idemkit import HttpConfig, InMemoryBackend, WSGIIdempotencyMiddleware

        app = Flask(__name__)
        app.wsgi_app = WSGIIdempotencyMiddleware(app.wsgi_app, backend=InMemoryBackend(), config=HttpConfig())
        orders = []

        @app.post("/orders")
        def order():
            orders.append(request.get_json())
            return jsonify(order=len(orders)), 201

        @app.get("/orders")
        def count():
            return str(len(orders))

        @app.post("/form")
        def form():
            files = {
                name: [file.filename, file.content_type, hashlib.sha256(file.read()).hexdigest()]
                for name, file in request.files.items()
            }
            return jsonify(fields=request.form, files=files)

        waitress.serve(app, listen="127.0.0.1:" + sys.argv[1])
        """
}


"use strict";
(function () {
	if (!navigator.registerProtocolHandler) {
		return;
	}
	var said = document.getElementById("registered");
	document.querySelectorAll("#register button").forEach(function (button) {
		button.addEventListener("click", function () {
			var scheme = button.dataset.scheme;
			said.hidden = false;
			try {
				navigator.registerProtocolHandler(scheme, location.origin + "/?url=%s");
				said.textContent = "The browser was asked to lead links of " + scheme + " here.";
			} catch (error) {
				said.textContent = "The browser refuses " + scheme + ": " + error.message;
			}
		});
	});
	document.getElementById("register").hidden = false;
})();

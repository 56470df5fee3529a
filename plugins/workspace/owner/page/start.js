document.getElementById('room').textContent = 'satchel'
